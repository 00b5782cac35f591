import type { Config } from "../../../core/config.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"

/** Longer ones only take more time to check. */
const MAX_LENGTH = 255

/** A sentence by itself, whatever the label of the second field. */
export const PASSWORDS_DIFFER = t("the two new passwords differ")

/**
 * Refuses, as `badRequest`, a password that is shorter than the site requires, blank, or longer than 255 characters. There are no other rules.
 */
export function requirePassword({ security }: Config, password: string): void {
  const length = [...password].length
  if (length < security.passwordMinLength)
    throw refuse.badRequest(t`[password]: must have at least ${security.passwordMinLength} characters`)
  if (length > MAX_LENGTH) throw refuse.badRequest(t`[password]: must have at most ${MAX_LENGTH} characters`)
  if (password.trim() === "") throw refuse.badRequest("[password]: must not be blank")
}
