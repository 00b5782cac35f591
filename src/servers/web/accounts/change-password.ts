import type { FastifyInstance, FastifyReply } from "fastify"
import { Refusal, refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { FORGOT_PATH } from "../../../features/events/mail/compose-account.ts"
import type { Authenticator } from "../../../features/people/authentication/authenticate.ts"
import { isApplicationTokenText, isTokenText } from "../../../features/people/authentication/credentials.ts"
import { requirePassword } from "../../../features/people/users/passwords.ts"
import { changePerson } from "../../../features/people/users/rules.ts"
import { clientAddress } from "../../client/address.ts"
import { FORM, formOf, withRetryAfter } from "../form.ts"
import { problemHtml, sendPrivatePage } from "./private-page.ts"

const PATH = "/user/change_password"

/**
 * The page where users change their password; accounts that must do so can do nothing else before. The form carries the current password itself and
 * no session, so cross-site request forgery is impossible.
 */
export function registerChangePassword(app: FastifyInstance, services: Services, authenticator: Authenticator): void {
  app.get(PATH, async (_request, reply) => form(services, reply, 200))

  app.post(PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    try {
      await change(field, clientAddress(request))
      return sendPrivatePage(
        services,
        reply,
        200,
        "Password changed",
        html`<p class="notice good" role="status">Sign in with the new password from now on.</p>`,
      )
    } catch (error) {
      if (error instanceof Refusal && error.status < 500)
        return form(services, withRetryAfter(reply, error), error.status, error.message, field("login"))
      throw error
    }
  })

  async function change(field: (name: string) => string, address: string): Promise<void> {
    const [login, password, wanted] = [field("login"), field("password"), field("new_password")]
    // A token is not accepted here: a leaked one must not be enough to take over the account.
    if (isTokenText(password) || isApplicationTokenText(password)) throw refuse.badCredentials()
    const presented = { kind: "basic", login, password } as const
    const actor = await authenticator.authenticate({ presented, code: field("code").trim() || undefined, address })
    if (actor.kind === "anonymous" || actor.credential.kind !== "password" || actor.user.is_active === 0) throw refuse.badCredentials()
    if (wanted !== field("new_password_again")) throw refuse.invalid("new_password_again", "is not the same as the new password")
    if (wanted === password) throw refuse.invalid("new_password", "must be another than the present one")
    requirePassword(services.config, wanted)
    const { user } = actor
    const hash = await services.passwords.hash(wanted)
    const changes = { password_hash: hash, must_change_password: 0 } as const
    await services.database.write((tx) => changePerson(tx, user.id, changes, { now: services.now(), actor: user }))
  }
}

const form = (services: Services, reply: FastifyReply, status: number, problem = "", login = ""): Promise<FastifyReply> =>
  sendPrivatePage(
    services,
    reply,
    status,
    "Change your password",
    html`
      ${problemHtml(problem)}
      <form class="form" method="post" action="${PATH}">
        <label class="field">
          User name <input name="login" value="${login}" autocomplete="username" required autofocus>
        </label>
        <label class="field">
          Present password <input name="password" type="password" autocomplete="current-password" required>
        </label>
        <label class="field">
          Code of your authenticator app, if you use one${" "}
          <input name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6">
        </label>
        <label class="field">
          New password <input name="new_password" type="password" autocomplete="new-password" required>
        </label>
        <label class="field">
          New password again <input name="new_password_again" type="password" autocomplete="new-password" required>
        </label>
        <button>Change password</button>
      </form>
      <p><a href="${FORGOT_PATH}">Forgot the present one?</a></p>
    `,
  )
