import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { isMac, type Secrets } from "../../../core/secrets.ts"
import type { Address } from "./addresses.ts"
import { findAddressesOf, lockUser } from "./store.ts"

/**
 * The codes in links that are mailed to people. They are stored nowhere: a code is signed with the site's key, and what is signed holds the
 * state of the account that using it changes, so that each is good once, for a while, for one person, one address and one purpose.
 */

/** What the holder of a code may do: let its account be used, have an address count, or set a new password. */
export type Purpose = "activate" | "confirm" | "recover"

/** Whom and what a code is about. */
export interface Holder {
  readonly purpose: Purpose
  readonly user: User
  readonly address: Address
}

/**
 * Whether there is something for such a code to do. Who was made inactive by an administrator has a primary address that counts, and so
 * can't undo that by mail.
 */
export function isUsable({ purpose, user, address }: Holder): boolean {
  if (user.kind !== "person" || user.prohibit_login === 1) return false
  const [isActive, counts, isPrimary] = [user.is_active === 1, address.is_activated === 1, address.is_primary === 1]
  switch (purpose) {
    case "activate":
      return !isActive && isPrimary && !counts
    case "confirm":
      return isActive && !counts
    case "recover":
      return isActive && isPrimary && counts
  }
}

/** A code that is good until `expiresAt`. */
export const makeCode = (secrets: Secrets, holder: Holder, expiresAt: Seconds): string =>
  `${holder.purpose}.${holder.user.id}.${expiresAt}.${secrets.mac(domainOf(holder.purpose), signedText(holder, expiresAt))}`

/**
 * Whom a code was made for, or undefined where it is not one of this site's for such a purpose, is too old, was used, or the account has
 * changed since.
 */
export async function readCode(
  db: Handle,
  secrets: Secrets,
  code: string,
  purposes: readonly Purpose[],
  now: Seconds,
): Promise<Holder | undefined> {
  const [, word, id = "", expiry = "", mac = ""] = /^([a-z]{1,16})\.(\d{1,15})\.(\d{1,15})\.([\w-]{1,64})$/.exec(code) ?? []
  const purpose = purposes.find((each) => each === word)
  const expiresAt = Number(expiry)
  if (purpose === undefined || expiresAt <= now) return undefined
  const user = await findUserById.first(db, { id: Number(id) })
  if (!user) return undefined
  return (await findAddressesOf(db, { userId: user.id }))
    .map((address) => ({ purpose, user, address }))
    .find((holder) => isUsable(holder) && isMac(secrets, domainOf(purpose), signedText(holder, expiresAt), mac))
}

const domainOf = (purpose: Purpose): string => `code ${purpose}`

/** A new password, and for all but addresses any change of how one signs in, makes older codes void. */
const signedText = ({ purpose, user, address }: Holder, expiresAt: Seconds): string =>
  JSON.stringify([
    user.id,
    address.lower_email,
    expiresAt,
    user.password_hash,
    // Several addresses may wait at once: confirming one, or removing another, leaves the rest.
    ...(purpose === "confirm" ? [] : [user.credentials_version]),
  ])

/**
 * Reads a code to use it up: the user's row is locked until the transaction ends, so that of two uses at once one is too late. Refuses
 * `notFound` what is no code, or not good any more.
 */
export async function takeCode(
  tx: Transaction,
  secrets: Secrets,
  code: string,
  purposes: readonly Purpose[],
  now: Seconds,
): Promise<Holder> {
  const found = await readCode(tx, secrets, code, purposes, now)
  if (found) await lockUser(tx, found.user.id)
  const held = found && (await readCode(tx, secrets, code, purposes, now))
  if (!held) throw refuse.notFound()
  return held
}
