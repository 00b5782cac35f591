import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { forgetSignIns } from "../users/store.ts"
import { findTwoFactor } from "./store.ts"
import { newTotpSecret, totpAddress, totpStep } from "./totp.ts"

export interface Enrolment {
  /** In base 32, for typing in. Returned only here and stored encrypted. */
  readonly secret: string
  /** The otpauth: URL, for a QR code that an app can read. */
  readonly address: string
}

/**
 * Requires a code beside the password from now on; tokens need none. Refuses `conflict` where two-factor authentication is already on: a user
 * who lost the app has it switched off first.
 */
export async function enableTwoFactor(
  services: Pick<Services, "secrets" | "site" | "now">,
  tx: Transaction,
  user: User,
): Promise<Enrolment> {
  const { secrets, site, now } = services
  const secret = newTotpSecret()
  const made = await tx
    .insertInto("two_factors")
    .values({ user_id: user.id, sealed_secret: secrets.seal(secret, twoFactorContext(user)), last_step: 0, created_at: now() })
    .onConflict((conflict) => conflict.column("user_id").doNothing())
    .executeTakeFirst()
  if (made.numInsertedOrUpdatedRows !== 1n) throw refuse.conflict(`${user.name} has a second factor already; disable it first`)
  await forgetSignIns(tx, user.id)
  return { secret, address: totpAddress(secret, user.name, `Hearth ${site.host}`) }
}

/** Switches two-factor authentication off. Returns whether it was on. */
export async function disableTwoFactor(tx: Transaction, user: User): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom("two_factors").where("user_id", "=", user.id).executeTakeFirstOrThrow()
  await forgetSignIns(tx, user.id)
  return numDeletedRows > 0n
}

/** True where the user has no second factor, or `code` is right and was not used before. The code is then used up. */
export async function useSecondFactor(
  { database, secrets, now }: Pick<Services, "database" | "secrets" | "now">,
  user: User,
  code: string | undefined,
): Promise<boolean> {
  const factor = await findTwoFactor.first(database.read, { userId: user.id })
  if (!factor) return true
  const step = code === undefined ? undefined : totpStep(secrets.unseal(factor.sealed_secret, twoFactorContext(user)), code, now())
  if (step === undefined) return false
  const used = await database.write((tx) =>
    tx.updateTable("two_factors").set({ last_step: step }).where("user_id", "=", user.id).where("last_step", "<", step).executeTakeFirst(),
  )
  return used.numUpdatedRows > 0n
}

/** The context that a secret is encrypted for; it can't be decrypted for another user. */
export const twoFactorContext = (user: Pick<User, "id">): string => `two-factor:${user.id}`
