import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from "node:crypto"
import { promisify } from "node:util"
import { constants, zstdCompress, zstdDecompress } from "node:zlib"
import Type, { Check, type Static } from "../schema.ts"

/** How what a backup holds is named and sealed. Nothing in it can be read, or altered without being noticed, without the passphrase. */

/** What everyone may read of a place for backups: how the passphrase leads to the key. */
export const Lock = Type.Object({
  format: Type.Literal(1),
  /** scrypt, RFC 7914. */
  scrypt: Type.Object({ n: Type.Integer(), r: Type.Integer(), p: Type.Integer(), salt: Type.String() }),
  /** The key that all else is sealed with, sealed with what the passphrase gives. */
  key: Type.String(),
})
export type Lock = Static<typeof Lock>

export interface Keys {
  /** The name of bytes: equal for equal bytes, and telling nothing of them. */
  readonly nameOf: (bytes: Buffer) => string
  readonly seal: (bytes: Buffer, name: string) => Promise<Buffer>
  /** Rejects with {@link Damaged}. */
  readonly unseal: (sealed: Buffer, name: string) => Promise<Buffer>
}

/** The passphrase is another one. */
export class PassphraseWrong extends Error {
  constructor() {
    super("the passphrase is another one")
    this.name = "PassphraseWrong"
  }
}

/** What was stored is gone or altered. */
export class Damaged extends Error {
  constructor(what: string) {
    super(what)
    this.name = "Damaged"
  }
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const NAME_BYTES = 20
/** 128 MiB and about half a second for each guess. */
const COST = { n: 2 ** 17, r: 8, p: 1 }
const MOST_MEMORY = 2 ** 30

interface Cost {
  readonly n: number
  readonly r: number
  readonly p: number
}

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)
const fromPassphrase = (passphrase: string, salt: Buffer, { n, r, p }: Cost): Promise<Buffer> =>
  derive(passphrase.normalize("NFC"), salt, KEY_BYTES, { N: n, r, p, maxmem: MOST_MEMORY })

/** Makes a new key, and the lock that gives it for the passphrase. */
export async function makeLock(passphrase: string, cost: Cost = COST): Promise<{ readonly lock: Lock; readonly keys: Keys }> {
  const [key, salt] = [randomBytes(KEY_BYTES), randomBytes(16)]
  const sealed = sealWith(await fromPassphrase(passphrase, salt, cost), key, "key")
  return {
    lock: { format: 1, scrypt: { ...cost, salt: salt.toString("base64url") }, key: sealed.toString("base64url") },
    keys: keysOf(key),
  }
}

/** Throws {@link PassphraseWrong}, and {@link Damaged} for what is no lock. */
export async function openLock(text: string, passphrase: string): Promise<Keys> {
  const lock = readJson(text)
  if (!Check(Lock, lock)) throw new Damaged("the file `config` can't be read")
  const wrap = await fromPassphrase(passphrase, Buffer.from(lock.scrypt.salt, "base64url"), lock.scrypt)
  try {
    return keysOf(unsealWith(wrap, Buffer.from(lock.key, "base64url"), "key"))
  } catch {
    throw new PassphraseWrong()
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
const RAW = 0
const ZSTD = 1
const FEWEST_TO_COMPRESS = 64

function keysOf(key: Buffer): Keys {
  const part = (purpose: string): Buffer => Buffer.from(hkdfSync("sha256", key, "", `hearth backup ${purpose}`, KEY_BYTES))
  const [forNames, forBytes] = [part("names"), part("bytes")]
  return {
    nameOf: (bytes) => createHmac("sha256", forNames).update(bytes).digest().subarray(0, NAME_BYTES).toString("hex"),
    async seal(bytes, name) {
      const small =
        bytes.length < FEWEST_TO_COMPRESS ? bytes : await compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })
      const isSmaller = small.length < bytes.length
      return sealWith(forBytes, Buffer.concat([Buffer.of(isSmaller ? ZSTD : RAW), isSmaller ? small : bytes]), name)
    },
    async unseal(sealed, name) {
      try {
        const content = unsealWith(forBytes, sealed, name)
        return content[0] === ZSTD ? await decompress(content.subarray(1)) : content.subarray(1)
      } catch {
        throw new Damaged("it was altered, or can't be read whole")
      }
    },
  }
}

/** Nonce, what is sealed, and the tag. The name is bound in, so that nothing can stand in the place of another. */
function sealWith(key: Buffer, bytes: Buffer, name: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(name))
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

function unsealWith(key: Buffer, sealed: Buffer, name: string): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(name))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}
