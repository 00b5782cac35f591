import { createPublicKey, hash, type JsonWebKey, type KeyObject } from "node:crypto"
import { MalformedKeyError, type WireReader, wireReader } from "./wire.ts"

/** Public keys in the SSH format: RFC 4253, section 6.6; RFC 5656; RFC 8709; OpenSSH's PROTOCOL.u2f. */

/** The accepted kinds of keys, and their minimum sizes in bits. */
const SMALLEST = {
  "ssh-ed25519": 256,
  "ssh-rsa": 3071,
  "ecdsa-sha2-nistp256": 256,
  "ecdsa-sha2-nistp384": 256,
  "ecdsa-sha2-nistp521": 256,
  "sk-ssh-ed25519@openssh.com": 256,
  "sk-ecdsa-sha2-nistp256@openssh.com": 256,
} as const

export type SshKeyType = keyof typeof SMALLEST

export const isSshKeyType = (type: string): type is SshKeyType => Object.hasOwn(SMALLEST, type)

/** Longer RSA keys make every verification slow. */
const LARGEST_RSA = 16_384

/** A parsed public key. */
export interface SshKey {
  readonly type: SshKeyType
  /** As sent over the wire. */
  readonly blob: Buffer
  /** Verifies signatures. */
  readonly verifier: KeyObject
  /** The application that a security key signs for; undefined for other keys. */
  readonly application: string | undefined
}

/** Why a key can't be used, in words that complete a sentence. */
export class UnusableKeyError extends Error {
  constructor(words: string) {
    super(words)
    this.name = "UnusableKeyError"
  }
}

/** The fingerprint in the format of OpenSSH. */
export const fingerprintOf = (blob: Uint8Array): string => `SHA256:${hash("sha256", blob, "base64").replace(/=+$/, "")}`

/**
 * Parses a key. `claimed` is its kind according to the text around it. Throws {@link UnusableKeyError} where the actual kind differs or isn't accepted,
 * where the key is too short, and where the bytes aren't a key.
 */
export function readKey(blob: Buffer, claimed?: string): SshKey {
  try {
    const reader = wireReader(blob)
    const type = reader.text()
    if (claimed !== undefined && type !== claimed)
      throw new UnusableKeyError(`key type and content does not match: ${printable(claimed)} - ${printable(type)}`)
    if (!isSshKeyType(type)) throw new UnusableKeyError(`key type is not allowed: ${printable(type)}`)
    const { jwk, bits, application } = readMaterial(type, reader)
    reader.end()
    if (bits < SMALLEST[type]) throw new UnusableKeyError(`key length is not enough: got ${bits}, needs ${SMALLEST[type]}`)
    if (bits > LARGEST_RSA) throw new UnusableKeyError(`key length is too much: got ${bits}, at most ${LARGEST_RSA}`)
    return { type, blob, verifier: createPublicKey({ key: jwk, format: "jwk" }), application }
  } catch (error) {
    if (error instanceof UnusableKeyError) throw error
    throw new UnusableKeyError(
      error instanceof MalformedKeyError ? `the key is damaged: ${error.message}` : "the key is damaged: its numbers are no key",
    )
  }
}

interface Material {
  readonly jwk: JsonWebKey
  readonly bits: number
  readonly application: string | undefined
}

function readMaterial(type: SshKeyType, reader: WireReader): Material {
  switch (type) {
    case "ssh-rsa": {
      const [e, n] = [reader.number(), reader.number()]
      const bits = n.length === 0 ? 0 : n.length * 8 + 24 - Math.clz32(n[0] ?? 0)
      return { jwk: { kty: "RSA", n: base64(n), e: base64(e) }, bits, application: undefined }
    }
    case "ssh-ed25519":
      return { ...ed25519(reader), application: undefined }
    case "sk-ssh-ed25519@openssh.com":
      return { ...ed25519(reader), application: reader.text() }
    case "sk-ecdsa-sha2-nistp256@openssh.com":
      return { ...ecdsa(reader, "nistp256"), application: reader.text() }
    default:
      return { ...ecdsa(reader, type.slice("ecdsa-sha2-".length)), application: undefined }
  }
}

const base64 = (bytes: Buffer): string => bytes.toString("base64url")

function ed25519(reader: WireReader): Omit<Material, "application"> {
  const point = reader.bytes()
  if (point.length !== 32) throw new MalformedKeyError()
  return { jwk: { kty: "OKP", crv: "Ed25519", x: base64(point) }, bits: 256 }
}

const CURVES: Readonly<Record<string, { readonly crv: string; readonly bits: number }>> = {
  nistp256: { crv: "P-256", bits: 256 },
  nistp384: { crv: "P-384", bits: 384 },
  nistp521: { crv: "P-521", bits: 521 },
}

function ecdsa(reader: WireReader, name: string): Omit<Material, "application"> {
  const curve = CURVES[name]
  const [named, point] = [reader.text(), reader.bytes()]
  const size = Math.ceil((curve?.bits ?? 0) / 8)
  // Only uncompressed points: the byte 4, then both coordinates.
  if (curve === undefined || named !== name || point.length !== 1 + 2 * size || point[0] !== 4) throw new MalformedKeyError()
  const jwk = { kty: "EC", crv: curve.crv, x: base64(point.subarray(1, 1 + size)), y: base64(point.subarray(1 + size)) }
  return { jwk, bits: curve.bits }
}

/** Text from a client, safe to repeat in an error message. */
const printable = (text: string): string => text.replace(/[^\x21-\x7e]/g, "?").slice(0, 60)
