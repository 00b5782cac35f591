import type { FastifyInstance, FastifyReply } from "fastify"
import { Refusal, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { escapeHtml } from "../../core/text/html.ts"
import { FORGOT_PATH, RECOVER_PATH } from "../../features/events/mail/compose-account.ts"
import { findRecovery, recover } from "../../features/people/authentication/recovery.ts"
import { codeOf, FORM, formOf, problemHtml, sendPrivatePage } from "./form.ts"

const TITLE = "Set a new password"

/** The page behind the mail for a forgotten password. Opening it doesn't use up the link, as mail scanners follow links. */
export function registerRecoverAccount(app: FastifyInstance, services: Services): void {
  app.get(RECOVER_PATH, async (request, reply) => form(reply, 200, codeOf(request)))

  app.post(RECOVER_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const code = field("code")
    try {
      if (field("new_password") !== field("new_password_again"))
        throw refuse.invalid("new_password_again", "is not the same as the new password")
      await recover(services, { code, password: field("new_password"), secondFactor: field("second_factor").trim() })
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) return form(reply, error.status, code, error.message)
      throw error
    }
    return sendPrivatePage(
      reply,
      200,
      "Password changed",
      `<p role="status">Sign in with the new password from now on.</p>
<p>Access tokens and keys stay good. If somebody else may know them, look through them and delete those that you don’t know.</p>`,
    )
  })

  async function form(reply: FastifyReply, status: number, code: string, problem = ""): Promise<FastifyReply> {
    const found = await findRecovery(services, code)
    if (!found)
      return sendPrivatePage(
        reply,
        404,
        "This link isn’t good any more",
        `<p role="alert">It was used, is too old, or is incomplete; or the account has changed since.</p>
<p><a href="${FORGOT_PATH}">Ask for another mail</a></p>`,
      )
    return sendPrivatePage(
      reply,
      status,
      TITLE,
      `${problemHtml(problem)}
<form method="post" action="${RECOVER_PATH}">
<input name="code" type="hidden" value="${escapeHtml(code)}">
<label>User name <input value="${escapeHtml(found.user.name)}" autocomplete="username" readonly></label>
<label>New password <input name="new_password" type="password" autocomplete="new-password" required autofocus></label>
<label>New password again <input name="new_password_again" type="password" autocomplete="new-password" required></label>
${found.hasSecondFactor ? SECOND_FACTOR : ""}<button>Set the password</button></form>`,
    )
  }
}

const SECOND_FACTOR = `<label>Code of your authenticator app <input name="second_factor" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required></label>
`
