import { hash, verify } from "node:crypto"
import type { SshKey } from "./public-key.ts"
import { MalformedKeyError, type WireReader, wireReader } from "./wire.ts"

/** A parsed SSH signature. */
export interface SshSignature {
  /** The signature's own algorithm name, such as rsa-sha2-512. */
  readonly algorithm: string
  /** The signature alone; for a security key, with the fields that it adds. */
  readonly body: Buffer
  /** How the two numbers of an ECDSA signature are encoded. */
  readonly numbers: "ssh" | "der"
}

/** The flag of a security key that says that its user touched it. */
const USER_PRESENT = 1

/** Whether the key made this signature over the data. SHA-1 is not accepted, nor a security key without user presence. */
export function isSignedBy(key: SshKey, signature: SshSignature, data: Buffer): boolean {
  try {
    return checked(key, signature, data)
  } catch (error) {
    if (error instanceof MalformedKeyError) return false
    throw error
  }
}

function checked({ type, verifier, application }: SshKey, { algorithm, body, numbers }: SshSignature, data: Buffer): boolean {
  if (type === "ssh-rsa") {
    const digest = algorithm === "rsa-sha2-256" ? "sha256" : algorithm === "rsa-sha2-512" ? "sha512" : undefined
    return digest !== undefined && verify(digest, data, verifier, body)
  }
  if (algorithm !== type) return false
  switch (type) {
    case "ssh-ed25519":
      return verify(null, data, verifier, body)
    case "sk-ssh-ed25519@openssh.com": {
      const { signature, signed } = touched(body.subarray(0, 64), wireReader(body.subarray(64)), application, data)
      return signature.length === 64 && verify(null, signed, verifier, signature)
    }
    case "sk-ecdsa-sha2-nistp256@openssh.com": {
      const reader = wireReader(body)
      const { signature, signed } = touched(fixedNumbers(reader, 32), reader, application, data)
      return verify("sha256", signed, { key: verifier, dsaEncoding: "ieee-p1363" }, signature)
    }
    default: {
      const { digest, size } = ECDSA[type]
      if (numbers === "der") return verify(digest, data, verifier, body)
      const reader = wireReader(body)
      const signature = fixedNumbers(reader, size)
      reader.end()
      return verify(digest, data, { key: verifier, dsaEncoding: "ieee-p1363" }, signature)
    }
  }
}

const ECDSA = {
  "ecdsa-sha2-nistp256": { digest: "sha256", size: 32 },
  "ecdsa-sha2-nistp384": { digest: "sha384", size: 48 },
  "ecdsa-sha2-nistp521": { digest: "sha512", size: 66 },
} as const

/** Two numbers, each padded with zeros to its full length. */
function fixedNumbers(reader: WireReader, size: number): Buffer {
  return Buffer.concat(
    [reader.number(), reader.number()].map((number) => {
      if (number.length > size) throw new MalformedKeyError()
      return Buffer.concat([Buffer.alloc(size - number.length), number])
    }),
  )
}

/** A security key signs the digest of the data together with its application, flags and signature counter. */
function touched(
  signature: Buffer,
  reader: WireReader,
  application: string | undefined,
  data: Buffer,
): { readonly signature: Buffer; readonly signed: Buffer } {
  const [flags, counter] = [reader.byte(), reader.take(4)]
  reader.end()
  if ((flags & USER_PRESENT) === 0 || application === undefined) throw new MalformedKeyError()
  const digest = (of: Uint8Array | string) => hash("sha256", of, "buffer")
  return { signature, signed: Buffer.concat([digest(Buffer.from(application, "latin1")), Buffer.of(flags), counter, digest(data)]) }
}
