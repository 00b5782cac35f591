import { findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { isMac, type Secrets } from "../../../core/secrets.ts"
import type { Address } from "./addresses.ts"
import { findAddressesOf } from "./addresses-store.ts"
import { lockUser } from "./store.ts"

/**
 * The codes in mailed links. They are stored nowhere: a code is signed with the site's key, and the signed text includes the account state that
 * using it changes. So each works once, for a limited time, for one user, one address and one purpose.
 */

/** What a code allows: activating the account, confirming an address, or setting a new password. */
export type Purpose = "activate" | "confirm" | "recover"

/** The user, address and purpose of a code. */
export interface Holder {
  readonly purpose: Purpose
  readonly user: User
  readonly address: Address
}

/**
 * Whether such a code has anything to do. A user who was deactivated by an administrator has a confirmed primary address, and so can't undo
 * that by mail.
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

/** A code that is valid until `expiresAt`. */
export const makeCode = (secrets: Secrets, holder: Holder, expiresAt: Seconds): string =>
  `${holder.purpose}.${holder.user.id}.${expiresAt}.${secrets.mac(domainOf(holder.purpose), signedText(holder, expiresAt))}`

/**
 * The holder of a code, or undefined where it wasn't issued by this site for such a purpose, has expired, was used, or the account has
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

/** A new password voids older codes, and so does any change of the sign-in, except for codes of addresses. */
const signedText = ({ purpose, user, address }: Holder, expiresAt: Seconds): string =>
  JSON.stringify([
    user.id,
    address.lower_email,
    expiresAt,
    user.password_hash,
    // Several addresses may be pending at once: confirming or removing one doesn't affect the others.
    ...(purpose === "confirm" ? [] : [user.credentials_version]),
  ])

/**
 * Redeems a code: the user's row is locked until the transaction ends, so that of two concurrent uses one fails. Refuses `notFound` for an
 * invalid or void code.
 */
export async function redeemCode(
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
