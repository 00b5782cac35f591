import type { Selectable } from "kysely"
import Type from "typebox"
import { Compile } from "typebox/compile"
import type { Transaction } from "../../core/database/database.ts"
import { isUniqueViolation } from "../../core/database/failures.ts"
import { type EmailsTable, flag, type Seconds } from "../../core/database/tables.ts"
import { refuse } from "../../core/errors.ts"
import { EMAIL_LENGTH } from "./records.ts"
import { findAddressesOf, forgetSignIns, holdUser } from "./store.ts"

export type Address = Selectable<EmailsTable>

const schema = Compile(Type.String({ format: "email", maxLength: EMAIL_LENGTH }))

/** Refuses, as `invalid` for `field`, what is no e-mail address and what a mail program could take for an option. */
export function requireAddress(email: string, field: string): void {
  if (!schema.Check(email) || email.startsWith("-")) throw refuse.invalid(field, "must be an e-mail address, such as name@example.com")
}

export interface NewAddress {
  readonly userId: number
  readonly email: string
  readonly primary?: boolean
  readonly now: Seconds
}

/** Gives a person an address. Refuses as `invalid`, for `field`, what is no address and what somebody has. */
export async function addAddress(tx: Transaction, { userId, email, primary = false, now }: NewAddress, field: string): Promise<void> {
  requireAddress(email, field)
  await refusingTaken(email, field, () =>
    tx
      .insertInto("emails")
      .values({ user_id: userId, email, lower_email: email.toLowerCase(), is_activated: 1, is_primary: flag(primary), created_at: now })
      .execute(),
  )
}

/**
 * Gives a person more addresses, all or none, and gives all that it has then. Refuses as `invalid`, for `emails`, what is no address and
 * what somebody has; as `notFound` whoever is gone.
 */
export async function addAddresses(tx: Transaction, userId: number, emails: readonly string[], now: Seconds): Promise<readonly Address[]> {
  await holdUser(tx, userId)
  for (const email of emails) await addAddress(tx, { userId, email, now }, "emails")
  return findAddressesOf(tx, { userId })
}

/**
 * Takes addresses away from a person, all or none. Refuses `notFound` for one that the person does not have, and as `invalid`, for
 * `emails`, the primary one.
 */
export async function removeAddresses(tx: Transaction, userId: number, emails: readonly string[]): Promise<void> {
  const given = new Set(emails.map((email) => email.toLowerCase()))
  const theirs = (await findAddressesOf(tx, { userId })).filter((address) => given.has(address.lower_email))
  if (theirs.length < given.size) throw refuse.notFound()
  const primary = theirs.find((address) => address.is_primary === 1)
  if (primary) throw refuse.invalid("emails", `${primary.email} is the primary address and can't be removed`)
  for (const { id } of theirs) await tx.deleteFrom("emails").where("id", "=", id).execute()
  // An address is also a name to sign in by.
  if (theirs.length > 0) await forgetSignIns(tx, userId)
}

/**
 * Replaces the primary address; the old one is free for others then. Another address of the person itself may be the new one.
 * Refuses as `invalid`, for `field`, what is no address and what somebody else has.
 */
export async function replacePrimaryAddress(tx: Transaction, userId: number, email: string, field: string, now: Seconds): Promise<void> {
  requireAddress(email, field)
  const user = await holdUser(tx, userId)
  if (email === user.email) return
  const lowerEmail = email.toLowerCase()
  await tx
    .deleteFrom("emails")
    .where("user_id", "=", user.id)
    .where((eb) => eb.or([eb("is_primary", "=", 1), eb("lower_email", "=", lowerEmail)]))
    .execute()
  await addAddress(tx, { userId: user.id, email, primary: true, now }, field)
  await tx.updateTable("users").set({ email, updated_at: now }).where("id", "=", user.id).execute()
  await forgetSignIns(tx, user.id)
}

async function refusingTaken(email: string, field: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (isUniqueViolation(error, ["emails.lower_email"])) throw refuse.invalid(field, `${email} is in use already`)
    throw error
  }
}
