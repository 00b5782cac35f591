import type { FastifyInstance, FastifyReply } from "fastify"
import { Refusal, refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { FORGOT_PATH, RECOVER_PATH } from "../../../features/events/mail/compose-account.ts"
import { findRecovery, recover } from "../../../features/people/authentication/recovery.ts"
import { clientAddress } from "../../client/address.ts"
import { codeOf, FORM, formOf, withRetryAfter } from "../form.ts"
import { problemHtml, sendPrivatePage } from "./private-page.ts"

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
      await recover(services, {
        code,
        password: field("new_password"),
        secondFactor: field("second_factor").trim(),
        address: clientAddress(request),
      })
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) return form(withRetryAfter(reply, error), error.status, code, error.message)
      throw error
    }
    return sendPrivatePage(
      services,
      reply,
      200,
      "Password changed",
      html`
        <p class="notice good" role="status">Sign in with the new password from now on.</p>
        <p>
          Access tokens and keys stay good. If somebody else may know them, look through them and delete those that you
          don’t know.
        </p>
      `,
    )
  })

  async function form(reply: FastifyReply, status: number, code: string, problem = ""): Promise<FastifyReply> {
    const found = await findRecovery(services, code)
    if (!found)
      return sendPrivatePage(
        services,
        reply,
        404,
        "This link isn’t good any more",
        html`
          <p class="notice bad" role="alert">
            It was used, is too old, or is incomplete; or the account has changed since.
          </p>
          <p><a href="${FORGOT_PATH}">Ask for another mail</a></p>
        `,
      )
    return sendPrivatePage(
      services,
      reply,
      status,
      TITLE,
      html`
        ${problemHtml(problem)}
        <form class="form" method="post" action="${RECOVER_PATH}">
          <input name="code" type="hidden" value="${code}">
          <label class="field">User name <input value="${found.user.name}" autocomplete="username" readonly></label>
          <label class="field">
            New password <input name="new_password" type="password" autocomplete="new-password" required autofocus>
          </label>
          <label class="field">
            New password again <input name="new_password_again" type="password" autocomplete="new-password" required>
          </label>
          ${found.hasSecondFactor ? SECOND_FACTOR : ""}<button>Set password</button>
        </form>
      `,
    )
  }
}

const SECOND_FACTOR = html`
  <label class="field">
    Code of your authenticator app <input name="second_factor" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required>
  </label>
`
