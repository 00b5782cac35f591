import { anyone } from "../../access/policies/site.ts"
import { refuse } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import { FORGOT_PATH } from "../../features/events/mail/compose-account.ts"
import { requestRecovery } from "../../features/people/sign-in/recovery.ts"
import { plainPage } from "../../web/sign-in.ts"
import { addressForm, withoutMail } from "../parts/account-mail.ts"
import { text } from "../parts/sign-in/steps.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/** The page where users request a mail to set a new password. The answer never reveals whether there is an account. */
export const forgotPasswordPages: readonly Page[] = [
  page({
    ...shared,
    id: "account.forgotPassword",
    address: `GET ${FORGOT_PATH}`,
    answer: ({ services }) =>
      plainPage(
        t("Forgot your password?"),
        services.config.mail.host === ""
          ? withoutMail(t("for a new password, which is given"), "hearth user password NAME")
          : html`
            <p>We will send you a link to set a new password.</p>
            ${addressForm(FORGOT_PATH, t("Send the mail"))}
            <p>It is sent to the primary address of your account.</p>
          `,
      ),
  }),

  page({
    ...shared,
    id: "account.askRecovery",
    address: `POST ${FORGOT_PATH}`,
    query: { address: text },
    answer: async ({ services, query: { address = "" } }) => {
      if (services.config.mail.host === "") throw refuse.notFound()
      await requestRecovery(services, address)
      return plainPage(
        t("Check your e-mail"),
        html`
          <p role="status">If an account has this address, a mail is on its way.</p>
          <p>
            Nothing after a few minutes? Check your spam folder, try another address, or ask an administrator of this
            site: inactive accounts get no mail.
          </p>
        `,
      )
    },
  }),
]
