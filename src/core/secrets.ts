import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import { join } from "node:path"
import { FileExposed, makePrivateFile, readPrivateFile } from "./private-file.ts"

/** Cryptography with the site's one key, which never leaves this module. */
export interface Secrets {
  /**
   * Encrypts a text so that only this site can read it again. `context` says what the secret belongs to, such as "mirror:12"; it must be
   * given again to read it, so that a sealed text copied to another row can't be read.
   */
  seal(text: string, context: string): string
  /** The text that was sealed. Throws {@link SealBroken} for another context, another site's key, or a changed text. */
  unseal(sealed: string, context: string): string
  /** A keyed digest (HMAC-SHA-256, base64url). Digests for different purposes are unrelated. */
  mac(purpose: string, data: string): string
}

/** The key can't be used. `message` says what is wrong and what to do, for the operator. */
export class KeyRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = "KeyRefused"
  }
}

/** A sealed text can't be read with this key and context. */
export class SealBroken extends Error {
  constructor() {
    super(
      "A stored secret can't be read: it was sealed with another key, for another place, or was changed. Enter it again, or bring back the key.",
    )
    this.name = "SealBroken"
  }
}

/** Whether `given` is the keyed digest of `data` for this purpose. Compares in constant time. */
export function isMac(secrets: Secrets, purpose: string, data: string, given: string): boolean {
  const [right, asked] = [Buffer.from(secrets.mac(purpose, data)), Buffer.from(given)]
  return right.length === asked.length && timingSafeEqual(right, asked)
}

/** A code that names a row by its number, and is signed with what it is good for: only this site can make one. */
export const signedCode = (secrets: Pick<Secrets, "mac">, purpose: string, id: number, data: string): string =>
  `${id}.${secrets.mac(purpose, data)}`

/** The number in a code that `signedCode` made, which is not believed yet, and the code's signature. Undefined for what has another form. */
export function readSignedCode(code: string): { readonly id: number; readonly mac: string } | undefined {
  const [, id, mac = ""] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(code) ?? []
  return id === undefined ? undefined : { id: Number(id), mac }
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = "v1."

/** The path of the key file when the configuration sets no key. */
export const keyFile = (dataDir: string): string => join(dataDir, "secret.key")

/**
 * Opens the site's secrets with the key given as text (hex or base64), or else with the one in the data folder, which is created if it
 * is missing; `memory` uses a random key that is never stored. Throws {@link KeyRefused}.
 */
export async function openSecrets(
  from: { readonly keyText?: string; readonly dataDir: string } | { readonly memory: true },
): Promise<Secrets> {
  if ("memory" in from) return secretsOf(randomBytes(KEY_BYTES))
  if (from.keyText) return secretsOf(decodeKey(from.keyText, "security.secretKey"))
  const file = keyFile(from.dataDir)
  return secretsOf(decodeKey((await readKey(file)) ?? (await makeKey(file)), file))
}

function secretsOf(key: Buffer): Secrets {
  const derived = new Map<string, Buffer>()
  // Purposes are constants in the code, so this can't grow.
  const keyFor = (purpose: string): Buffer => {
    const known = derived.get(purpose)
    if (known !== undefined) return known
    const made = Buffer.from(hkdfSync("sha256", key, "", `hearth ${purpose}`, KEY_BYTES))
    derived.set(purpose, made)
    return made
  }
  const bound = (context: string) => Buffer.from(VERSION + context, "utf8")

  return {
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv("aes-256-gcm", keyFor("seal"), nonce).setAAD(bound(context))
      const body = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
      return VERSION + body.toString("base64url")
    },

    unseal(sealed, context) {
      const body = Buffer.from(sealed.slice(VERSION.length), "base64url")
      if (!sealed.startsWith(VERSION) || body.length < NONCE_BYTES + TAG_BYTES) throw new SealBroken()
      const decipher = createDecipheriv("aes-256-gcm", keyFor("seal"), body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(bound(context))
        .setAuthTag(body.subarray(-TAG_BYTES))
      try {
        return decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
      } catch {
        throw new SealBroken()
      }
    },

    mac: (purpose, data) =>
      createHmac("sha256", keyFor(`mac ${purpose}`))
        .update(data, "utf8")
        .digest("base64url"),
  }
}

function decodeKey(given: string, source: string): Buffer {
  const text = given.trim()
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64url")
  if (!/^[\w+/-]*=?$/.test(text) || key.length !== KEY_BYTES)
    throw new KeyRefused(
      `The key in ${source} is damaged: it must be ${KEY_BYTES} bytes in hex or base64. Bring it back from a backup; without it stored secrets can't be read.`,
    )
  return key
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    return await readPrivateFile(file)
  } catch (error) {
    if (error instanceof FileExposed) throw new KeyRefused(error.message, error)
    throw new KeyRefused(`The key file ${file} can't be read. Make the user that Hearth runs as its owner.`, error)
  }
}

async function makeKey(file: string): Promise<string> {
  try {
    await makePrivateFile(file, `${randomBytes(KEY_BYTES).toString("base64url")}\n`)
  } catch (error) {
    throw new KeyRefused(`The key file ${file} can't be made. Let the user that Hearth runs as write to its folder.`, error)
  }
  return (await readKey(file)) ?? ""
}
