import type { Selectable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { isUniqueViolation } from "../../../core/database/failures.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import type { EmailsTable } from "../../../core/database/tables/people.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import Type, { Check } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import type { Acting } from "./accounts.ts"
import { updateUser } from "./accounts-store.ts"
import {
  deleteAddress,
  deletePrimaryAnd,
  dropUnconfirmed,
  findAddress,
  findAddressesOf,
  insertAddress,
  leavePrimary,
  makePrimary,
} from "./addresses-store.ts"
import { countAccountMails, forgetAccountMails } from "./mails-store.ts"
import { EMAIL_LENGTH } from "./records.ts"
import { forgetSignIns, lockUser } from "./store.ts"

export type Address = Selectable<EmailsTable>

const ADDRESS = Type.String({ format: "email", maxLength: EMAIL_LENGTH })

/** Refuses, as `invalid` for `field`, an invalid e-mail address and one that a mail program could take for an option. */
export function requireAddress(email: string, field: string): void {
  if (!Check(ADDRESS, email) || email.startsWith("-")) throw refuse.invalid(field, "must be an e-mail address, such as name@example.com")
}

/** The stored address that matches the typed one, of any user, confirmed or not. */
export async function findTypedAddress(db: Handle, typed: string): Promise<Address | undefined> {
  return findAddress.first(db, { lowerEmail: typed.trim().toLowerCase() })
}

export interface NewAddress {
  readonly userId: number
  readonly email: string
  readonly primary?: boolean
  /** False where the user must first prove that it is theirs. */
  readonly confirmed: boolean
  readonly now: Seconds
}

/**
 * Adds an address to a user. One that another user added and never confirmed is free. Refuses as `invalid`, for `field`, an invalid or
 * taken address.
 */
export async function addAddress(
  tx: Transaction,
  { userId, email, primary = false, confirmed, now }: NewAddress,
  field: string,
): Promise<void> {
  requireAddress(email, field)
  const lowerEmail = email.toLowerCase()
  await dropUnconfirmed(tx, { userId, lowerEmail })
  await refusingTaken(email, field, () =>
    insertAddress(tx, {
      user_id: userId,
      email,
      lower_email: lowerEmail,
      is_activated: flag(confirmed),
      is_primary: flag(primary),
      created_at: now,
    }),
  )
}

/** How many addresses a user can have confirmation mails sent to in a day: the site must not be a means to harass others. */
const CONFIRMATIONS_A_DAY = 20
const DAY = 86_400

/**
 * Adds addresses to a user, all or none, and returns all that they have then. Where mail is configured they must be confirmed first. Refuses
 * as `invalid`, for `emails`, invalid and taken addresses, and more than twenty in a day that must be confirmed; as `notFound` a deleted
 * user.
 */
export async function addAddresses(
  tx: Transaction,
  services: Pick<Services, "config" | "jobs" | "now">,
  userId: number,
  emails: readonly string[],
): Promise<readonly Address[]> {
  const { config } = services
  const now = services.now()
  const confirmed = config.mail.host === "" || !config.users.confirmEmails
  await lockUser(tx, userId)
  if (!confirmed) await requireFewConfirmations(tx, userId, emails.length, now)
  for (const email of emails) {
    await addAddress(tx, { userId, email, confirmed, now }, "emails")
    if (!confirmed) publish(tx, { kind: "account.addressAdded", user: { id: userId }, to: { address: email.toLowerCase() }, at: now })
  }
  if (emails.length > 0) publish(tx, { kind: "user.edited", user: { id: userId }, actor: { id: userId }, changed: ["emails"], at: now })
  return findAddressesOf(tx, { userId })
}

async function requireFewConfirmations(tx: Transaction, userId: number, more: number, now: Seconds): Promise<void> {
  const ofPerson = { userId, about: "confirmation" } as const
  await forgetAccountMails(tx, { ...ofPerson, before: now - DAY })
  const { total = 0 } = (await countAccountMails.first(tx, ofPerson)) ?? {}
  if (total + more > CONFIRMATIONS_A_DAY)
    throw refuse.invalid("emails", t`only ${CONFIRMATIONS_A_DAY} addresses can be added within a day; add the others later`)
}

/**
 * Removes addresses from a user, all or none. Refuses `notFound` for one that the user does not have, and as `invalid`, for `emails`, the
 * primary one.
 */
export async function removeAddresses(tx: Transaction, userId: number, emails: readonly string[]): Promise<void> {
  const given = new Set(emails.map((email) => email.toLowerCase()))
  const theirs = (await findAddressesOf(tx, { userId })).filter((address) => given.has(address.lower_email))
  if (theirs.length < given.size) throw refuse.notFound()
  const primary = theirs.find((address) => address.is_primary === 1)
  if (primary) throw refuse.invalid("emails", t`${primary.email} is the primary address and can't be removed`)
  for (const { id } of theirs) await deleteAddress(tx, id)
  if (theirs.length === 0) return
  // An address can also be used to sign in.
  await forgetSignIns(tx, userId)
  publish(tx, { kind: "user.edited", user: { id: userId }, actor: { id: userId }, changed: ["emails"] })
}

/**
 * Makes another confirmed address of a user the primary one; the one until now stays theirs. Refuses `notFound` for an address that isn't theirs,
 * `invalid`, for `email`, one that is not confirmed.
 */
export async function choosePrimaryAddress(tx: Transaction, userId: number, id: number, now: Seconds): Promise<void> {
  const user = await lockUser(tx, userId)
  const wanted = (await findAddressesOf(tx, { userId })).find((address) => address.id === id)
  if (!wanted) throw refuse.notFound()
  if (wanted.is_activated === 0) throw refuse.invalid("email", t`${wanted.email} must be confirmed first`)
  if (wanted.is_primary === 1) return
  await leavePrimary(tx, userId)
  await makePrimary(tx, id)
  await updateUser(tx, { id: userId, changes: { email: wanted.email }, now })
  await forgetSignIns(tx, userId)
  publish(tx, { kind: "user.edited", user, changed: ["email"], actor: user, at: now })
}

/**
 * Replaces the primary address; the old one is free for others then. Another address of the same user may become the new one.
 * Refuses as `invalid`, for `field`, an invalid address and one that another user has.
 */
export async function replacePrimaryAddress(
  tx: Transaction,
  userId: number,
  email: string,
  { field, now, actor }: { readonly field: string; readonly now: Seconds; readonly actor: Acting },
): Promise<void> {
  requireAddress(email, field)
  const user = await lockUser(tx, userId)
  if (email === user.email) return
  const lowerEmail = email.toLowerCase()
  // If the old address was not confirmed yet, the new one must be confirmed instead.
  const isWaiting = user.is_active === 0 && (await findAddressesOf(tx, { userId }))[0]?.is_activated === 0
  await deletePrimaryAnd(tx, { userId: user.id, lowerEmail })
  await addAddress(tx, { userId: user.id, email, primary: true, confirmed: !isWaiting, now }, field)
  await updateUser(tx, { id: user.id, changes: { email }, now })
  await forgetSignIns(tx, user.id)
  publish(tx, { kind: "user.edited", user, changed: ["email"], actor, at: now })
}

async function refusingTaken(email: string, field: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (isUniqueViolation(error, ["emails.lower_email"])) throw refuse.invalid(field, t`${email} is in use already`)
    throw error
  }
}
