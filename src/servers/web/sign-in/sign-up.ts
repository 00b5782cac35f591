import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { Refusal, refuse } from "../../../core/errors.ts"
import { type Content, html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { SIGN_UP_PATH } from "../../../features/events/mail/compose-account.ts"
import { openSignUps, readInvitation, signUp } from "../../../features/people/registration/registration.ts"
import { field as inputField } from "../../../web/components.ts"
import { clientAddress } from "../../client/address.ts"
import { LOGIN_PATH, queryOf } from "../../client/session.ts"
import { ownPath } from "../../routing/redirect.ts"
import { codeOf, FORM, formOf, inConstantTime, withRetryAfter } from "../form.ts"
import { sendShown } from "../pages/server.ts"
import { faultOf, hidden, problemBeside, stepPage } from "../pages/sign-in-forms.ts"
import { orAgain } from "./again.ts"
import { goOnWith } from "./login.ts"

/** Making an account: the address first, by a mail, and then its name and password. */
export function registerSignUp(app: FastifyInstance, services: Services): void {
  const { config, database } = services
  const signUps = openSignUps(services)

  app.get(SIGN_UP_PATH, async (request, reply) => {
    const code = codeOf(request)
    return code === "" ? ask(request, reply) : make(request, reply, { code, target: ownPath(queryOf(request).get("redirect_to") ?? "") })
  })

  app.post(SIGN_UP_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const code = field("code")
    if (code === "")
      return orAgain(
        async () => {
          await inConstantTime(signUps.ask(field("email"), clientAddress(request)))
          return page(
            request,
            reply,
            "Look into your mail",
            html`
              <p role="status">
                We have sent a link to <strong><bdi>${field("email").trim()}</bdi></strong>, with which you go on.
              </p>
              <p>None after some minutes? Look among the junk, or ask for it again later.</p>
            `,
          )
        },
        (refusal) => ask(request, withRetryAfter(reply, refusal), field("email"), refusal),
      )
    const [name, password, target] = [field("name").trim(), field("password"), ownPath(field("redirect_to"))]
    return orAgain(
      async () => {
        if (password !== field("password_again")) throw refuse.invalid("password_again", "must be the same")
        const user = await signUp(services, { code, name, password })
        return goOnWith(services, request, reply, { kind: "complete", user, method: "password", isRemembered: false }, target)
      },
      (refusal) => make(request, withRetryAfter(reply, refusal), { code, target, name, refusal }),
    )
  })

  function ask(request: FastifyRequest, reply: FastifyReply, email = "", refusal?: Refusal): Promise<FastifyReply> {
    const signIn = html`<p>You have one? <a href="${LOGIN_PATH}">Sign in</a></p>`
    if (config.users.registration !== "open")
      return page(
        request,
        reply,
        "Make an account",
        html`
          <p>
            ${
              config.users.registration === "closed"
                ? "New accounts are made by the administrators of this site."
                : "New accounts are made by invitation: the mail has a link that leads here."
            }
          </p>
          ${signIn}
        `,
        refusal,
      )
    return page(
      request,
      reply,
      "Make an account",
      html`
        ${problemBeside(refusal, ["email"])}
        <form class="form" method="post" action="${SIGN_UP_PATH}">
          ${inputField({
            label: "E-mail address",
            name: "email",
            type: "email",
            value: email,
            autocomplete: "email",
            required: true,
            autofocus: true,
            maxlength: 254,
            hint: "You will get a link to choose a name and a password.",
            fault: faultOf(refusal, "email"),
          })}
          <button class="primary">Send link</button>
        </form>
        ${signIn}
      `,
      refusal,
    )
  }

  async function make(
    request: FastifyRequest,
    reply: FastifyReply,
    { code, target, name = "", refusal }: { code: string; target: string; name?: string; refusal?: Refusal },
  ): Promise<FastifyReply> {
    const invitation = config.users.registration === "closed" ? undefined : await readInvitation(services, database.read, code)
    if (!invitation)
      return page(
        request,
        reply,
        "This link isn’t good any more",
        html`
          <p role="alert">It was used, is too old, or is incomplete.</p>
          <p><a href="${SIGN_UP_PATH}">Ask for another</a>, or <a href="${LOGIN_PATH}">sign in</a>.</p>
        `,
        new Refusal("notFound"),
      )
    const atLeast = `At least ${config.security.passwordMinLength} characters.`
    return page(
      request,
      reply,
      "Make your account",
      html`
        ${problemBeside(refusal, ["username", "password", "password_again"])}
        <p>For the address <strong><bdi>${invitation.lower_email}</bdi></strong>.</p>
        <form class="form" method="post" action="${SIGN_UP_PATH}">
          ${hidden("code", code)}${hidden("redirect_to", target)}
          ${inputField({
            label: "User name",
            name: "name",
            value: name,
            autocomplete: "username",
            required: true,
            autofocus: true,
            maxlength: 40,
            hint: "Letters, digits, and single - _ . inside.",
            fault: faultOf(refusal, "username"),
          })}
          ${inputField({
            label: "Password",
            name: "password",
            type: "password",
            autocomplete: "new-password",
            required: true,
            maxlength: 255,
            hint: atLeast,
            fault: faultOf(refusal, "password"),
          })}
          ${inputField({
            label: "Password again",
            name: "password_again",
            type: "password",
            autocomplete: "new-password",
            required: true,
            maxlength: 255,
            fault: faultOf(refusal, "password_again"),
          })}
          <button class="primary">Create account</button>
        </form>
      `,
      refusal,
    )
  }

  const page = (request: FastifyRequest, reply: FastifyReply, title: string, body: Content, refusal?: Refusal): Promise<FastifyReply> =>
    sendShown(services, request, reply, stepPage(title, body, { status: refusal?.status ?? 200 }))
}
