import { argon2, type BinaryLike, pbkdf2, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import type { Transaction } from "../../../../core/database/database.ts"
import { removeFormerHash } from "./former-store.ts"

/*
 * Hashes that another server made of passwords and tokens, see docs/takeover.md. They are verified here, and replaced by ours at the first use. Passwords stand
 * in the row of their account: `$former$ALGORITHM$…$SALT$HEX`, with the salt in base64url, or as bcrypt writes them.
 */

const pbkdf2Key = promisify(pbkdf2)
const argon2Key = promisify(argon2)
const scryptKey: (password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions) => Promise<Buffer> = promisify(scrypt)

/** The largest costs that are accepted, so that no stored hash takes a server down: memory in KiB, rounds, threads. */
const MOST = { memory: 2 ** 20, rounds: 10_000_000, threads: 64, bytes: 1024, bcrypt: 16 } as const

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most

/** Whether this is a hash of another server. */
export const isFormer = (hash: string): boolean => hash.startsWith("$former$") || /^\$2[abxy]\$/.test(hash)

/** Whether the password is the one of the hash. A hash that can't be read matches nothing. */
export async function verifyFormer(password: string, hash: string): Promise<boolean> {
  if (!hash.startsWith("$former$")) return verifyBcrypt(password, hash)
  const [, , algorithm = "", ...rest] = hash.split("$")
  const [salt = "", hex = ""] = rest.slice(-2)
  const key = Buffer.from(hex, "hex")
  if (key.length === 0) return false
  const derived = await derive(password, saltOf(Buffer.from(salt, "base64url")), algorithm, rest.slice(0, -2).map(Number))
  return derived !== undefined && derived.length === key.length && timingSafeEqual(derived, key)
}

/** Salts were ten characters once, and are written in hex since. */
const saltOf = (written: Buffer): Buffer => (written.length === 10 ? written : Buffer.from(written.toString("latin1"), "hex"))

async function derive(password: string, salt: Buffer, algorithm: string, given: readonly number[]): Promise<Buffer | undefined> {
  switch (algorithm) {
    case "pbkdf2": {
      const [rounds = 10_000, length = 50] = given
      return isWithin(rounds, MOST.rounds) && isWithin(length, MOST.bytes) ? pbkdf2Key(password, salt, rounds, length, "sha256") : undefined
    }
    case "argon2": {
      const [passes = 2, memory = 65_536, parallelism = 8, tagLength = 50] = given
      const isKnown =
        isWithin(passes, 1_000) && isWithin(memory, MOST.memory) && isWithin(parallelism, MOST.threads) && isWithin(tagLength, MOST.bytes)
      return isKnown ? argon2Key("argon2id", { message: password, nonce: salt, passes, memory, parallelism, tagLength }) : undefined
    }
    case "scrypt": {
      const [N = 65_536, r = 16, p = 2, length = 50] = given
      const isKnown = isWithin(N, 2 ** 20) && isWithin(r, 64) && isWithin(p, MOST.threads) && 128 * N * r <= MOST.memory * 1024
      return isKnown && isWithin(length, MOST.bytes)
        ? scryptKey(password, salt, length, { N, r, p, maxmem: 256 * N * r + 2 ** 20 })
        : undefined
    }
    default:
      return undefined
  }
}

async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  const cost = Number(/^\$2[abxy]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1] ?? "99")
  if (cost > MOST.bcrypt) return false
  const { compare } = await import("bcryptjs")
  return compare(password, hash.replace(/^\$2[xy]/, "$2a"))
}

/** Whether a secret is the one that a row of the former server is of. */
export async function isFormerSecret(secret: string, { salt, hash }: { readonly salt: string; readonly hash: string }): Promise<boolean> {
  const key = Buffer.from(hash, "hex")
  if (key.length === 0) return false
  const derived = await pbkdf2Key(secret, salt, 10_000, key.length, "sha256")
  return timingSafeEqual(derived, key)
}

type FormerKind = "access token" | "runner" | "recovery code"

/** Uses up what the former server knew of a secret: false where another call has done so. */
export const useFormer = async (tx: Transaction, kind: FormerKind, subjectId: number): Promise<boolean> =>
  (await removeFormerHash.changes(tx, { kind, subjectId })) > 0
