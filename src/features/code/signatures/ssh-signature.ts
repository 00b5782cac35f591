import { hash } from "node:crypto"
import { fingerprintOf, readKey, type SshKey, UnusableKeyError } from "../../people/keys/ssh/public-key.ts"
import { isSignedBy } from "../../people/keys/ssh/signature.ts"
import { MalformedKeyError, wireBytes, wireReader } from "../../people/keys/ssh/wire.ts"

/** File signatures made by `ssh-keygen -Y sign`: OpenSSH's PROTOCOL.sshsig. */

const BEGIN = "-----BEGIN SSH SIGNATURE-----"
const END = "-----END SSH SIGNATURE-----"
const MAGIC = "SSHSIG"
/** Signatures are only valid in their namespace. */
const NAMESPACE = "git"
const LONGEST = 16 * 1024

export const isSshSignature = (text: string): boolean => text.startsWith(BEGIN)

/** A parsed but unverified signature. The key in it is the signer's claim. */
export interface FileSignature {
  readonly fingerprint: string
  /** Whether it is a valid signature of this data by its key, in git's namespace. */
  readonly isOver: (data: Buffer) => boolean
}

/** Parses an armoured signature; undefined if it is malformed, or its key is not of an accepted kind. */
export function readFileSignature(text: string): FileSignature | undefined {
  const armor = text.trim()
  if (armor.length > LONGEST || !armor.startsWith(BEGIN) || !armor.endsWith(END)) return undefined
  const base64 = armor.slice(BEGIN.length, -END.length).replace(/\s+/g, "")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  try {
    return parse(Buffer.from(base64, "base64"))
  } catch (error) {
    if (error instanceof MalformedKeyError || error instanceof UnusableKeyError) return undefined
    throw error
  }
}

/** What a signature of a digest is made over, in git's namespace. */
export const signedText = (digest: Buffer): Buffer =>
  Buffer.concat([Buffer.from(MAGIC), ...[NAMESPACE, "", "sha512", digest].map(wireBytes)])

const ARMOR_WIDTH = 70

/** The signature of a `signedText` by the key of this blob, armoured as `ssh-keygen -Y sign` does it. */
export function armorSignature(key: Buffer, signature: Buffer): string {
  const version = Buffer.from([0, 0, 0, 1])
  const fields = [key, Buffer.from(NAMESPACE), Buffer.alloc(0), Buffer.from("sha512"), signature].map(wireBytes)
  const base64 = Buffer.concat([Buffer.from(MAGIC), version, ...fields]).toString("base64")
  const lines = base64.match(new RegExp(`.{1,${ARMOR_WIDTH}}`, "g")) ?? []
  return `${[BEGIN, ...lines, END].join("\n")}\n`
}

function parse(blob: Buffer): FileSignature | undefined {
  const reader = wireReader(blob)
  if (reader.take(MAGIC.length).toString("latin1") !== MAGIC || reader.uint32() !== 1) return undefined
  const key = readKey(reader.bytes())
  const [namespace, reserved, algorithm, signature] = [reader.text(), reader.bytes(), reader.text(), reader.bytes()]
  reader.end()
  if (algorithm !== "sha256" && algorithm !== "sha512") return undefined
  const signed = (data: Buffer): Buffer =>
    Buffer.concat([Buffer.from(MAGIC), ...[namespace, reserved, algorithm, hash(algorithm, data, "buffer")].map(wireBytes)])
  return {
    fingerprint: fingerprintOf(key.blob),
    isOver: (data) => namespace === NAMESPACE && isSignature(key, signature, signed(data)),
  }
}

function isSignature(key: SshKey, signature: Buffer, data: Buffer): boolean {
  try {
    const reader = wireReader(signature)
    const [algorithm, body] = [reader.text(), reader.bytes()]
    // A security key appends its flags and counter to the signature.
    const added = signature.subarray(8 + Buffer.byteLength(algorithm, "latin1") + body.length)
    return isSignedBy(key, { algorithm, body: Buffer.concat([body, added]), numbers: "ssh" }, data)
  } catch (error) {
    if (error instanceof MalformedKeyError) return false
    throw error
  }
}
