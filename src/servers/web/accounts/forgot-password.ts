import type { FastifyInstance } from "fastify"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { FORGOT_PATH } from "../../../features/events/mail/compose-account.ts"
import { requestRecovery } from "../../../features/people/authentication/recovery.ts"
import { FORM, formOf, inConstantTime } from "../form.ts"
import { addressForm, sendPrivatePage, withoutMail } from "./private-page.ts"

const TITLE = "Forgot your password?"

/** The page where users request a mail to set a new password. The answer never reveals whether there is an account. */
export function registerForgotPassword(app: FastifyInstance, services: Services): void {
  if (services.config.mail.host === "") {
    const body = withoutMail("for a new password, which is given", "hearth user password NAME")
    app.get(FORGOT_PATH, async (_request, reply) => sendPrivatePage(services, reply, 200, TITLE, body))
    return
  }

  app.get(FORGOT_PATH, async (_request, reply) =>
    sendPrivatePage(
      services,
      reply,
      200,
      TITLE,
      html`
        <p>We send you a link to set a new one.</p>
        ${addressForm(FORGOT_PATH, "Send the mail")}
        <p>It goes to the primary address of your account, also where you give another of yours.</p>
      `,
    ),
  )

  app.post(FORGOT_PATH, FORM, async (request, reply) => {
    await inConstantTime(requestRecovery(services, formOf(request)("address")))
    return sendPrivatePage(
      services,
      reply,
      200,
      "Look into your mail",
      html`
        <p role="status">If an account has this address, a mail is on its way.</p>
        <p>
          None after some minutes? Look among the junk, try another address of yours, or ask an administrator of the
          site: accounts that aren’t active get none.
        </p>
      `,
    )
  })
}
