import { createPublicKey, type JsonWebKey } from "node:crypto"
import { readKey, type SshKey, UnusableKeyError } from "./public-key.ts"
import { wireBytes, wireNumber } from "./wire.ts"

/** A public key with its comment. */
export interface KeyText {
  readonly key: SshKey
  readonly comment: string
}

/** Bytes of the longest text that is parsed; a key of 16,384 bits takes 3 KiB. */
const LONGEST = 16 * 1024

/** The first words of lines that can be keys, of accepted kinds or of others. */
const KEY_WORD = /^(ssh-|sk-|ecdsa-)[\w.@-]+$/

/**
 * Parses a public key: a line of OpenSSH, the block of RFC 4716, or PEM. Throws {@link UnusableKeyError} for several keys, for a line with options
 * before the key, for a private key, and for anything that `readKey` refuses.
 */
export function parseKeyText(given: string): KeyText {
  const text = given.trim()
  if (Buffer.byteLength(text) > LONGEST) throw new UnusableKeyError(`the text is longer than ${LONGEST} bytes`)
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY|^PuTTY-User-Key-File/.test(text)) throw new UnusableKeyError("the provided key is a private key")
  if (text.startsWith("---- BEGIN SSH2 PUBLIC KEY ----")) return parseBlock(text)
  if (text.startsWith("-----BEGIN ")) return { key: readKey(fromPem(text)), comment: "" }
  return parseLine(text)
}

/** The key as one line of OpenSSH: its kind, the key, and the comment if there is one. */
export function keyLine({ key, comment }: KeyText): string {
  return [key.type, key.blob.toString("base64"), comment].join(" ").trimEnd()
}

function parseLine(text: string): KeyText {
  const lines = text.split(/[\r\n]+/)
  if (lines.slice(1).some((line) => KEY_WORD.test(line.trimStart().split(/\s/, 1)[0] ?? "")))
    throw new UnusableKeyError("there are several keys; add them one by one")
  // Joins lines that a mail program or a terminal has broken.
  const [, type = "", base64 = "", comment = ""] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(.*))?$/.exec(lines.join("")) ?? []
  if (!KEY_WORD.test(type))
    throw new UnusableKeyError("this is no public key: it begins with its kind, such as ssh-ed25519, and no options stand before that")
  const key = readKey(fromBase64(base64), type)
  return { key, comment: oneLine(comment) }
}

/** The block of RFC 4716: headers, which are ignored, then the key. */
function parseBlock(text: string): KeyText {
  const [, inner] = /^---- BEGIN SSH2 PUBLIC KEY ----\r?\n([\s\S]*?)\r?\n---- END SSH2 PUBLIC KEY ----$/.exec(text) ?? []
  if (inner === undefined) throw new UnusableKeyError("the block of the public key is cut off")
  // A header that continues on the next line ends in a backslash.
  const lines = inner.replace(/\\\r?\n/g, "").split(/\r?\n/)
  return { key: readKey(fromBase64(lines.filter((line) => !line.includes(":")).join(""))), comment: "" }
}

/** Converts a key from PEM to the SSH format. */
function fromPem(text: string): Buffer {
  let jwk: JsonWebKey
  try {
    jwk = createPublicKey(text).export({ format: "jwk" })
  } catch {
    throw new UnusableKeyError("the PEM text can't be read as a public key")
  }
  const bytes = (member: string | undefined): Buffer => Buffer.from(member ?? "", "base64url")
  if (jwk.kty === "RSA") return Buffer.concat([wireBytes("ssh-rsa"), wireNumber(bytes(jwk.e)), wireNumber(bytes(jwk.n))])
  if (jwk.crv === "Ed25519") return Buffer.concat([wireBytes("ssh-ed25519"), wireBytes(bytes(jwk.x))])
  const curve = /^P-(256|384|521)$/.exec(jwk.crv ?? "")?.[1]
  if (curve === undefined) throw new UnusableKeyError(`key type is not allowed: ${jwk.crv ?? jwk.kty ?? "unknown"}`)
  const point = Buffer.concat([Buffer.of(4), bytes(jwk.x), bytes(jwk.y)])
  return Buffer.concat([wireBytes(`ecdsa-sha2-nistp${curve}`), wireBytes(`nistp${curve}`), wireBytes(point)])
}

function fromBase64(text: string): Buffer {
  if (text === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw new UnusableKeyError("the key is not base64")
  return Buffer.from(text, "base64")
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const oneLine = (comment: string): string => comment.replace(/[\x00-\x1f\x7f]+/g, " ").trimEnd()
