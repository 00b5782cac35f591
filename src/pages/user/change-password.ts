import { anyone } from "../../access/policies/site.ts"
import type { Refusal } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { type Page, page, type Shown } from "../../core/page.ts"
import { FORGOT_PATH } from "../../features/events/mail/compose-account.ts"
import { changePassword } from "../../features/people/sign-in/change-password.ts"
import { problem } from "../../web/problem.ts"
import { plainPage } from "../../web/sign-in.ts"
import { text } from "../parts/sign-in/steps.ts"

const PATH = "/user/change_password"

const shared = { access: anyone, beforeSignIn: true } as const

/**
 * The page where users change their password; accounts that must do so can do nothing else before. The form carries the current password itself and
 * no session, so cross-site request forgery is impossible.
 */
export const changePasswordPages: readonly Page[] = [
  page({ ...shared, id: "account.password", address: `GET ${PATH}`, answer: () => passwordPage() }),

  page({
    ...shared,
    id: "account.changePassword",
    address: `POST ${PATH}`,
    query: { login: text, password: text, code: text, new_password: text, new_password_again: text },
    again: ({ query: { login } }, refusal) => passwordPage(login, refusal),
    answer: async ({ services, reader, query: { login = "", password = "", code = "", ...typed } }) => {
      const { new_password: wanted = "", new_password_again: again = "" } = typed
      await changePassword(services, { login, password, code: code.trim(), wanted, again, address: reader.ip })
      return plainPage(t("Password changed"), html`<p class="notice good" role="status">You can now sign in with the new password.</p>`)
    },
  }),
]

const passwordPage = (login = "", refusal?: Refusal): Shown =>
  plainPage(
    t("Change your password"),
    html`
      ${problem(refusal)}
      <form class="form" method="post" action="${PATH}">
        <label class="field">
          User name <input name="login" value="${login}" autocomplete="username" required autofocus>
        </label>
        <label class="field">
          Current password <input name="password" type="password" autocomplete="current-password" required>
        </label>
        <label class="field">
          Authentication code, if two-factor authentication is enabled${" "}
          <input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6">
        </label>
        <label class="field">
          New password <input name="new_password" type="password" autocomplete="new-password" required>
        </label>
        <label class="field">
          Confirm new password <input name="new_password_again" type="password" autocomplete="new-password" required>
        </label>
        <button>Change password</button>
      </form>
      <p><a href="${FORGOT_PATH}">Forgot your password?</a></p>
    `,
  )
