import { anyone } from "../../access/policies/site.ts"
import { type Refusal, refuse } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { type Page, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { FORGOT_PATH, RECOVER_PATH } from "../../features/events/mail/compose-account.ts"
import { findRecovery, recover } from "../../features/people/sign-in/recovery.ts"
import { PASSWORDS_DIFFER } from "../../features/people/users/passwords.ts"
import { problem } from "../../web/problem.ts"
import { plainPage } from "../../web/sign-in.ts"
import { text } from "../parts/sign-in/steps.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/** The page behind the mail for a forgotten password. Opening it doesn't use up the link, as mail scanners follow links. */
export const recoverAccountPages: readonly Page[] = [
  page({
    ...shared,
    id: "account.recovery",
    address: `GET ${RECOVER_PATH}`,
    query: { code: text },
    answer: ({ services, query: { code } }) => recoveryPage(services, code),
  }),

  page({
    ...shared,
    id: "account.recover",
    address: `POST ${RECOVER_PATH}`,
    query: { code: text, new_password: text, new_password_again: text, second_factor: text },
    again: ({ services, query: { code } }, refusal) => recoveryPage(services, code, refusal),
    answer: async ({ services, reader, query: { code = "", new_password: password = "", second_factor = "", ...typed } }) => {
      if (password !== (typed.new_password_again ?? "")) throw refuse.invalid("new_password_again", PASSWORDS_DIFFER)
      await recover(services, { code, password, secondFactor: second_factor.trim(), address: reader.ip })
      return plainPage(
        t("Password changed"),
        html`
          <p class="notice good" role="status">You can now sign in with the new password.</p>
          <p>
            Access tokens and keys keep working. Review them if someone else may have them.
          </p>
        `,
      )
    },
  }),
]

const voidPage = plainPage(
  t("This link has expired"),
  html`
    <p class="notice bad" role="alert">It was used, has expired, or is incomplete; or the account has changed since.</p>
    <p><a href="${FORGOT_PATH}">Request a new mail</a></p>
  `,
  { status: 404 },
)

async function recoveryPage(services: Services, code = "", refusal?: Refusal): Promise<Shown> {
  const found = await findRecovery(services, code)
  if (!found) return voidPage
  return plainPage(
    t("Set a new password"),
    html`
      ${problem(refusal)}
      <form class="form" method="post" action="${RECOVER_PATH}">
        <input name="code" type="hidden" value="${code}">
        <label class="field">User name <input value="${found.user.name}" autocomplete="username" readonly></label>
        <label class="field">
          New password <input name="new_password" type="password" autocomplete="new-password" required autofocus>
        </label>
        <label class="field">
          Confirm new password <input name="new_password_again" type="password" autocomplete="new-password" required>
        </label>
        ${found.hasSecondFactor && SECOND_FACTOR}<button>Set password</button>
      </form>
    `,
  )
}

const SECOND_FACTOR = html`
  <label class="field">
    Authentication code <input name="second_factor" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required>
  </label>
`
