import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { findTypedAddress } from "../users/addresses.ts"
import { type Holder, isUsable, readCode, redeemCode } from "../users/codes.ts"
import { requirePassword } from "../users/passwords.ts"
import { changePerson } from "../users/rules.ts"
import { findAddressesOf } from "../users/store.ts"
import { findTwoFactor } from "./store.ts"
import { useSecondFactor } from "./two-factor.ts"

/** Recovery of a forgotten password by a mail to the primary address. */

/** How many second-factor codes may be tried with one mail: reading a user's mail must not be enough to guess them. */
const MOST_WRONG_CODES = 5

/**
 * Sends a recovery mail to the primary address of the user with this address. Does nothing, and doesn't say so, where there is no such user
 * or they may not sign in now.
 */
export async function requestRecovery({ database, now }: Services, typed: string): Promise<void> {
  const given = await findTypedAddress(database.read, typed)
  const user = given?.is_activated === 1 ? await findUserById.first(database.read, { id: given.user_id }) : undefined
  const primary = user && (await findAddressesOf(database.read, { userId: user.id }))[0]
  if (!primary || !isUsable({ purpose: "recover", user, address: primary })) return
  await database.write(async (tx) => publish(tx, { kind: "account.recoveryAsked", user, to: { address: primary.lower_email }, at: now() }))
}

/** The user whose password a code can reset, and whether a second-factor code is needed too; undefined for a void code. */
export async function findRecovery(
  { database, secrets, now }: Services,
  code: string,
): Promise<(Holder & { readonly hasSecondFactor: boolean }) | undefined> {
  const holder = await readCode(database.read, secrets, code, ["recover"], now())
  if (!holder) return undefined
  const factor = await findTwoFactor.first(database.read, { userId: holder.user.id })
  return { ...holder, hasSecondFactor: factor !== undefined }
}

export interface Recovery {
  readonly code: string
  readonly password: string
  /** From the authenticator app; empty where there is none. */
  readonly secondFactor: string
}

/**
 * Sets a new password with a mailed code, which is void afterwards. Tokens, keys and the second factor remain; the second factor is required.
 * Refuses `notFound` for a void code, `badRequest` for a weak password or a wrong second factor, `tooMany` after five wrong ones.
 */
export async function recover(services: Services, { code, password, secondFactor }: Recovery): Promise<void> {
  const { config, database, passwords, secrets, now } = services
  const found = await findRecovery(services, code)
  if (!found) throw refuse.notFound()
  requirePassword(config, password)
  if (found.hasSecondFactor) {
    await database.write((tx) => countTry(tx, found))
    if (!(await useSecondFactor(services, found.user, secondFactor)))
      throw refuse.badRequest("[code]: must be what your authenticator app shows now, and not used before")
  }
  const hash = await passwords.hash(password)
  await database.write(async (tx) => {
    const { user } = await redeemCode(tx, secrets, code, ["recover"], now())
    await changePerson(tx, user.id, { password_hash: hash, must_change_password: 0 }, now())
  })
}

/** Counted before the code is checked, so that concurrent attempts don't get around the limit. */
async function countTry(tx: Transaction, { user, address }: Holder): Promise<void> {
  const counted = await tx
    .updateTable("account_mails")
    .set((eb) => ({ wrong_codes: eb("wrong_codes", "+", 1) }))
    .where("user_id", "=", user.id)
    .where("about", "=", "recovery")
    .where("lower_address", "=", address.lower_email)
    .where("wrong_codes", "<", MOST_WRONG_CODES)
    .executeTakeFirst()
  if (counted.numUpdatedRows === 0n) throw refuse.tooMany("There were too many wrong codes; ask for another mail.")
}
