import type { FastifyInstance, FastifyReply } from "fastify"
import { Refusal, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { escapeHtml } from "../../core/text/html.ts"
import { FORGOT_PATH } from "../../features/events/mail/compose-account.ts"
import type { Authenticator } from "../../features/people/authentication/authenticate.ts"
import { requirePassword } from "../../features/people/users/passwords.ts"
import { changePerson } from "../../features/people/users/rules.ts"
import { FORM, formOf, problemHtml } from "./form.ts"
import { sendPage } from "./layout.ts"

const PATH = "/user/change_password"

/**
 * The page where users change their password; accounts that must do so can do nothing else before. The form carries the current password itself and
 * no session, so cross-site request forgery is impossible.
 */
export function registerChangePassword(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  app.get(PATH, async (_request, reply) => form(reply, 200))

  app.post(PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    try {
      await change(field)
      return sendPage(
        reply,
        200,
        "Password changed",
        `<h1>Password changed</h1><p role="status">Sign in with the new password from now on.</p>`,
      )
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) return form(reply, error.status, error.message, field("login"))
      throw error
    }
  })

  async function change(field: (name: string) => string): Promise<void> {
    const [login, password, wanted] = [field("login"), field("password"), field("new_password")]
    // A token is not accepted here: a leaked one must not be enough to take over the account.
    if (/^[0-9a-f]{40}$/.test(password)) throw refuse.badCredentials()
    const actor = await authenticator.authenticate({ presented: { kind: "basic", login, password }, code: field("code") || undefined })
    if (actor.kind === "anonymous" || actor.credential.kind !== "password" || actor.user.is_active === 0) throw refuse.badCredentials()
    if (wanted !== field("new_password_again")) throw refuse.invalid("new_password_again", "is not the same as the new password")
    if (wanted === password) throw refuse.invalid("new_password", "must be another than the present one")
    requirePassword(services.config, wanted)
    const { id } = actor.user
    const hash = await services.passwords.hash(wanted)
    await services.database.write((tx) => changePerson(tx, id, { password_hash: hash, must_change_password: 0 }, services.now()))
  }
}

const form = (reply: FastifyReply, status: number, problem = "", login = ""): FastifyReply =>
  sendPage(
    reply,
    status,
    "Change your password",
    `<h1>Change your password</h1>${problemHtml(problem)}
<form method="post" action="${PATH}">
<label>User name <input name="login" value="${escapeHtml(login)}" autocomplete="username" required autofocus></label>
<label>Present password <input name="password" type="password" autocomplete="current-password" required></label>
<label>Code of your authenticator app, if you use one <input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6"></label>
<label>New password <input name="new_password" type="password" autocomplete="new-password" required></label>
<label>New password again <input name="new_password_again" type="password" autocomplete="new-password" required></label>
<button>Change password</button></form><p><a href="${FORGOT_PATH}">Forgot the present one?</a></p>`,
  )
