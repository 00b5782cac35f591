import type { FastifyInstance, FastifyReply } from "fastify"
import { Refusal } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { ACTIVATE_PATH, FORGOT_PATH } from "../../../features/events/mail/compose-account.ts"
import { activate, findActivation, requestActivation } from "../../../features/people/users/activation.ts"
import type { Holder } from "../../../features/people/users/codes.ts"
import { codeOf, FORM, formOf, inConstantTime } from "../form.ts"
import { addressForm, problemHtml, sendPrivatePage, withoutMail } from "./private-page.ts"

const INVALID_LINK = "This link isn’t good any more: it was used, is too old, or is incomplete; or the account has changed since."

/**
 * The page behind the mails that activate accounts and confirm addresses. Opening it changes nothing, as mail scanners follow links; the button does.
 * Without a code it sends the mail once more, and never reveals whether an activation is pending.
 */
export function registerActivate(app: FastifyInstance, services: Services): void {
  const hasMail = services.config.mail.host !== ""

  app.get(ACTIVATE_PATH, async (request, reply) => {
    const code = codeOf(request)
    if (code === "") return ask(reply, 200)
    const holder = await findActivation(services, code)
    return holder ? confirm(services, reply, holder, code) : ask(reply, 404, INVALID_LINK)
  })

  app.post(ACTIVATE_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    if (field("code") !== "") return use(reply, field("code"))
    if (!hasMail) return ask(reply, 200)
    await inConstantTime(requestActivation(services, field("address")))
    return sendPrivatePage(
      services,
      reply,
      200,
      "Look into your mail",
      html`
        <p class="notice good" role="status">If this address waits for it, a mail is on its way.</p>
        <p>None after some minutes? Look among the junk, or ask an administrator of the site.</p>
      `,
    )
  })

  async function use(reply: FastifyReply, code: string): Promise<FastifyReply> {
    try {
      return done(services, reply, await activate(services, code))
    } catch (error) {
      if (error instanceof Refusal && error.kind === "notFound") return ask(reply, 404, INVALID_LINK)
      throw error
    }
  }

  const ask = (reply: FastifyReply, status: number, problem = ""): Promise<FastifyReply> =>
    sendPrivatePage(services, reply, status, hasMail ? "Ask for the mail again" : "Activate your account", [
      problemHtml(problem),
      hasMail
        ? html`
          <p>
            Accounts are activated, and addresses confirmed, by a link in a mail. We send it again to an address that
            waits for it.
          </p>
          ${addressForm(ACTIVATE_PATH, "Send the mail again")}
        `
        : withoutMail("to activate your account, which is done", "hearth user active NAME on"),
    ])
}

function confirm(services: Services, reply: FastifyReply, { purpose, user, address }: Holder, code: string): Promise<FastifyReply> {
  const [title, what, button] =
    purpose === "activate"
      ? ["Activate your account", html`The account <b>${user.name}</b>, with the address ${address.email}.`, "Activate"]
      : ["Confirm your address", html`The address <b>${address.email}</b>, for the account ${user.name}.`, "Confirm"]
  return sendPrivatePage(
    services,
    reply,
    200,
    title,
    html`
      <p>${what}</p>
      <form class="form" method="post" action="${ACTIVATE_PATH}">
        <input name="code" type="hidden" value="${code}"><button>${button}</button>
      </form>
    `,
  )
}

const done = (services: Services, reply: FastifyReply, { purpose, user, address }: Holder): Promise<FastifyReply> =>
  purpose === "activate"
    ? sendPrivatePage(
        services,
        reply,
        200,
        "Account activated",
        html`
          <p class="notice good" role="status">Sign in as ${user.name}.</p>
          <p>Nobody told you a password? <a href="${FORGOT_PATH}">Set one</a>.</p>
        `,
      )
    : sendPrivatePage(
        services,
        reply,
        200,
        "Address confirmed",
        html`<p class="notice good" role="status">${address.email} belongs to the account ${user.name}.</p>`,
      )
