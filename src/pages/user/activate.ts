import { anyone } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type Page, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { ACTIVATE_PATH, FORGOT_PATH } from "../../features/events/mail/compose-account.ts"
import { activate, findActivation, requestActivation } from "../../features/people/users/activation.ts"
import type { Holder } from "../../features/people/users/codes.ts"
import { notice } from "../../web/components.ts"
import { plainPage } from "../../web/sign-in.ts"
import { addressForm, withoutMail } from "../parts/account-mail.ts"
import { text } from "../parts/sign-in/steps.ts"

const shared = { access: anyone, beforeSignIn: true } as const

/**
 * The page behind the mails that activate accounts and confirm addresses. Opening it changes nothing, as mail scanners follow links; the button does.
 * Without a code it sends the mail once more, and never reveals whether an activation is pending.
 */
export const activatePages: readonly Page[] = [
  page({
    ...shared,
    id: "account.activation",
    address: `GET ${ACTIVATE_PATH}`,
    query: { code: text },
    answer: async ({ services, query: { code = "" } }) => {
      if (code === "") return askPage(services)
      const holder = await findActivation(services, code)
      return holder ? confirmPage(holder, code) : voidPage(services)
    },
  }),

  page({
    ...shared,
    id: "account.activate",
    address: `POST ${ACTIVATE_PATH}`,
    query: { code: text, address: text },
    again: ({ services }, refusal) => {
      if (refusal.kind !== "notFound") throw refusal
      return voidPage(services)
    },
    answer: async ({ services, query: { code = "", address = "" } }) => {
      if (code !== "") return donePage(await activate(services, code))
      if (services.config.mail.host === "") return askPage(services)
      await requestActivation(services, address)
      return plainPage(
        t("Check your e-mail"),
        html`
          <p class="notice good" role="status">If this address needs confirmation, a mail is on its way.</p>
          <p>Nothing after a few minutes? Check your spam folder, or ask an administrator of this site.</p>
        `,
      )
    },
  }),
]

function askPage({ config }: Services, problem: Text = ""): Shown {
  const hasMail = config.mail.host !== ""
  return plainPage(hasMail ? t("Resend the mail") : t("Activate your account"), [
    problem !== "" && notice("bad", problem),
    hasMail
      ? html`
        <p>
          Accounts and e-mail addresses are confirmed by a link in a mail. We can send it again.
        </p>
        ${addressForm(ACTIVATE_PATH, t("Resend mail"))}
      `
      : withoutMail(t("to activate your account, which is done"), "hearth user active NAME on"),
  ])
}

const voidPage = (services: Services): Shown => ({
  ...askPage(services, t("This link has expired: it was used, is too old or incomplete, or the account has changed since.")),
  status: 404,
})

function confirmPage({ purpose, user, address }: Holder, code: string): Shown {
  const [title, what, button] =
    purpose === "activate"
      ? [t("Activate your account"), html`The account <b>${user.name}</b>, with the address ${address.email}.`, t("Activate")]
      : [t("Confirm your address"), html`The address <b>${address.email}</b>, for the account ${user.name}.`, t("Confirm")]
  return plainPage(
    title,
    html`
      <p>${what}</p>
      <form class="form" method="post" action="${ACTIVATE_PATH}">
        <input name="code" type="hidden" value="${code}"><button>${button}</button>
      </form>
    `,
  )
}

const donePage = ({ purpose, user, address }: Holder): Shown =>
  purpose === "activate"
    ? plainPage(
        t("Account activated"),
        html`
          <p class="notice good" role="status">Sign in as ${user.name}.</p>
          <p>No password yet? <a href="${FORGOT_PATH}">Set one</a>.</p>
        `,
      )
    : plainPage(
        t("Address confirmed"),
        html`<p class="notice good" role="status">${address.email} belongs to the account ${user.name}.</p>`,
      )
