import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { PASSWORDS_DIFFER, requirePassword } from "../users/passwords.ts"
import { changePerson } from "../users/rules.ts"
import { authenticatorOf } from "./authenticate.ts"
import { isApplicationTokenText, isTokenText } from "./credentials/credentials.ts"

export interface PasswordChange {
  readonly login: string
  /** The present one. */
  readonly password: string
  /** From the authenticator app; empty where there is none. */
  readonly code: string
  readonly wanted: string
  /** The new one, typed a second time. */
  readonly again: string
  /** The client's: guesses are counted by it. */
  readonly address: string
}

/**
 * Changes a password, also that of an account which can do nothing else before. Everything that is needed is shown here, and no session counts. Refuses
 * `badCredentials`, `invalid` and `badRequest` for a password that can't be had, `tooMany` after too many wrong ones.
 */
export async function changePassword(services: Services, { login, password, code, wanted, again, address }: PasswordChange): Promise<void> {
  // A token is not accepted here: a leaked one must not be enough to take over the account.
  if (isTokenText(password) || isApplicationTokenText(password)) throw refuse.badCredentials()
  const presented = { kind: "basic", login, password } as const
  const actor = await authenticatorOf(services).authenticate({ presented, code: code || undefined, address })
  if (actor.kind === "anonymous" || actor.credential.kind !== "password" || actor.user.is_active === 0) throw refuse.badCredentials()
  if (wanted !== again) throw refuse.invalid("new_password_again", PASSWORDS_DIFFER)
  if (wanted === password) throw refuse.invalid("new_password", "must differ from the current password")
  requirePassword(services.config, wanted)
  const { user } = actor
  const changes = { password_hash: await services.passwords.hash(wanted), must_change_password: 0 } as const
  await services.database.write((tx) => changePerson(tx, user.id, changes, { now: services.now(), actor: user }))
}
