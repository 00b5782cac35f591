import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto"
import type { Share } from "../../../../core/cluster/share.ts"
import type { Passwords } from "../../../../core/services.ts"
import { isFormer, verifyFormer } from "./former-hashes.ts"
import { openTurns } from "./turns.ts"

/** About 35 ms and 16 MiB on one core: slow for an attacker, acceptable for a user. */
const COST = { N: 16_384, r: 8, p: 1 }
/** For instances that persist nothing: there is nothing to attack, and tests sign in thousands of times. */
const PASSING_COST = { N: 16, r: 8, p: 1 }
const KEY_BYTES = 32
const SALT_BYTES = 16

export interface PasswordOptions {
  /** Whether the hashes outlive the process; if not, hashing costs next to nothing. */
  readonly isKept?: boolean
  /** This process's part of the checks. */
  readonly share?: Share
}

/**
 * Slow checks, limited in number: the thread pool that runs them also serves files and name look-ups.
 *
 * @param concurrent how many checks run at once; sixteen times as many may wait, and further ones are refused as `busy`. Networks take turns.
 */
export function openPasswords(concurrent: number, { isKept = true, share }: PasswordOptions = {}): Passwords {
  const cost = isKept ? COST : PASSING_COST
  const inTurn = openTurns(concurrent, concurrent * 16, share)
  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES)
      const key = await inTurn("", () => derive(password, salt, cost, KEY_BYTES))
      return `$scrypt$N=${cost.N},r=${cost.r},p=${cost.p}$${salt.toString("base64url")}$${key.toString("base64url")}`
    },
    isOurs: (hash) => hash === "" || parse(hash) !== undefined,
    verify: async (password, hash, network) => {
      if (isFormer(hash)) return inTurn(network, () => verifyFormer(password, hash))
      const stored = parse(hash)
      if (!stored) {
        await inTurn(network, () => derive(password, randomBytes(SALT_BYTES), cost, KEY_BYTES))
        return false
      }
      return timingSafeEqual(await inTurn(network, () => derive(password, stored.salt, stored.cost, stored.key.length)), stored.key)
    },
  }
}

const derive = (password: string, salt: Buffer, { N, r, p }: ScryptOptions, length: number): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(
      password.normalize("NFKC"),
      salt,
      length,
      { ...(N && { N }), ...(r && { r }), ...(p && { p }), maxmem: 256 * 1024 * 1024 },
      (error, key) => (error ? reject(error) : resolve(key)),
    ),
  )

function parse(hash: string): { readonly cost: ScryptOptions; readonly salt: Buffer; readonly key: Buffer } | undefined {
  const [, N, r, p, salt, key] = /^\$scrypt\$N=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(hash) ?? []
  if (!salt || !key) return undefined
  return { cost: { N: Number(N), r: Number(r), p: Number(p) }, salt: Buffer.from(salt, "base64url"), key: Buffer.from(key, "base64url") }
}
