import { createDecipheriv, createHash } from "node:crypto"

/** What the old server sealed with its SECRET_KEY. Undefined for what can't be read: it was sealed with another key, or in another way. */
export interface OldSecrets {
  /** A secret of two-factor authentication, in base 32. */
  readonly totp: (sealed: string) => string | undefined
  /** Secrets of actions, the headers of webhooks, passwords of sign-in sources. */
  readonly text: (sealed: string) => string | undefined
}

const IV_BYTES = 16

/** CFB has no check of its own: what was opened must be base64 to the last letter. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

export function openOldSecrets(secretKey: string): OldSecrets {
  const digest = (algorithm: string) => createHash(algorithm).update(secretKey).digest()
  const keys = { totp: digest("md5"), text: digest("sha256") }

  function open(body: Buffer, cipher: "aes-128-cfb" | "aes-256-cfb", key: Buffer): string | undefined {
    if (body.length < IV_BYTES) return undefined
    const decipher = createDecipheriv(cipher, key, body.subarray(0, IV_BYTES))
    const inner = Buffer.concat([decipher.update(body.subarray(IV_BYTES)), decipher.final()]).toString("latin1")
    return BASE64.test(inner) && inner.length % 4 === 0 ? Buffer.from(inner, "base64").toString("utf8") : undefined
  }

  return {
    totp(sealed) {
      const secret = open(Buffer.from(sealed, "base64"), "aes-128-cfb", keys.totp)
      return secret !== undefined && /^[A-Z2-7]{8,}=*$/i.test(secret) ? secret.toUpperCase() : undefined
    },
    text: (sealed) => (/^([0-9a-f]{2})+$/i.test(sealed) ? open(Buffer.from(sealed, "hex"), "aes-256-cfb", keys.text) : undefined),
  }
}
