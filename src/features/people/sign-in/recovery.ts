import { findUserById } from "../../../access/store.ts"
import { inConstantTime } from "../../../core/constant-time.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { networkOf } from "../../../core/networks.ts"
import type { Services } from "../../../core/services.ts"
import { findTypedAddress } from "../users/addresses.ts"
import { findAddressesOf } from "../users/addresses-store.ts"
import { type Holder, isUsable, readCode, redeemCode } from "../users/codes.ts"
import { requirePassword } from "../users/passwords.ts"
import { changePerson } from "../users/rules.ts"
import { findTwoFactor } from "./credentials/store.ts"
import { noteSignInAddress } from "./guesses/password-guesses.ts"
import { useSecondFactor } from "./second-factor/two-factor.ts"

/** Recovery of a forgotten password by a mail to the primary address. */

/**
 * Sends a recovery mail to the primary address of the user with this address. Does nothing, and doesn't say so, where there is no such user
 * or they may not sign in now; the time that it takes doesn't say so either.
 */
export const requestRecovery = (services: Services, typed: string): Promise<void> => inConstantTime(mailRecovery(services, typed))

async function mailRecovery({ database, now }: Services, typed: string): Promise<void> {
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
  /** The client's address, from which the account counts as used from now on. */
  readonly address: string
}

/**
 * Sets a new password with a mailed code, which is void afterwards. Tokens, keys and the second factor remain; the second factor is required.
 * Refuses `notFound` for a void code, `badRequest` for a weak password or a wrong second factor, `tooMany` after too many wrong ones.
 */
export async function recover(services: Services, { code, password, secondFactor, address }: Recovery): Promise<void> {
  const { config, database, passwords, secrets, now } = services
  const found = await findRecovery(services, code)
  if (!found) throw refuse.notFound()
  requirePassword(config, password)
  if (!(await useSecondFactor(services, found.user, secondFactor, address)))
    throw refuse.badRequest("[code]: must be what your authenticator app shows now, and not used before")
  const hash = await passwords.hash(password)
  await database.write(async (tx) => {
    const { user } = await redeemCode(tx, secrets, code, ["recover"], now())
    await changePerson(tx, user.id, { password_hash: hash, must_change_password: 0 }, { now: now(), actor: user })
    await noteSignInAddress(services, tx, user.id, networkOf(address))
  })
}
