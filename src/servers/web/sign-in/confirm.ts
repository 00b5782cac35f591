export { confirmFor } from "../../../web/address.ts"

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Refusal } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { beginAssertion } from "../../../features/people/passkeys/passkeys.ts"
import { titleOf } from "../../../features/people/providers/providers.ts"
import { findLinksOf } from "../../../features/people/providers/store.ts"
import { confirmSession, type Session } from "../../../features/people/sessions/sessions.ts"
import type { SignIn } from "../../../features/people/sign-in/sign-in.ts"
import { CONFIRM_PATH } from "../../../web/address.ts"
import { field as inputField } from "../../../web/components.ts"
import { clientAddress } from "../../client/address.ts"
import { loginFor, queryOf, sessionOf, sessionText, setSession } from "../../client/session.ts"
import { ownPath, sendOn } from "../../routing/redirect.ts"
import { FORM, formOf, withRetryAfter } from "../form.ts"
import { sendShown } from "../pages/server.ts"
import { hidden, passkeyForm, problemBeside, stepPage } from "../pages/sign-in-forms.ts"
import { orAgain } from "./again.ts"

/** The page on which a person shows once more what they sign in with, before a change that an open browser must not suffice for. */
export function registerConfirm(app: FastifyInstance, services: Services, signIn: SignIn): void {
  app.get(CONFIRM_PATH, async (request, reply) => {
    const target = ownPath(queryOf(request).get("redirect_to") ?? "")
    const session = await sessionOf(services, request)
    return session ? ask(request, reply, session, target) : sendOn(reply, loginFor(target))
  })

  app.post(CONFIRM_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const target = ownPath(field("redirect_to"))
    const [session, text] = [await sessionOf(services, request), sessionText(services, request)]
    if (!session || text === undefined) return sendOn(reply, loginFor(target))
    const passkey = field("credential") === "" ? undefined : { ticket: field("passkey_ticket"), credential: field("credential") }
    return orAgain(
      async () => {
        await signIn.confirm(session.user, { password: field("password"), passkey, address: clientAddress(request) })
        const rotated = await confirmSession(services, session, text)
        return sendOn(setSession(services, reply, { text: rotated, isRemembered: session.isRemembered }), target)
      },
      (refusal) => ask(request, withRetryAfter(reply, refusal), session, target, refusal),
    )
  })

  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    { user }: Session,
    target: string,
    refusal?: Refusal,
  ): Promise<FastifyReply> {
    const passkey = await beginAssertion(services, user)
    const links = user.password_hash === "" ? await findLinksOf(services.database.read, { userId: user.id }) : []
    const others = services.config.signIn.providers.filter(({ name }) => links.some(({ provider }) => provider === name))
    const back = hidden("redirect_to", target)
    const withPassword = html`
      <form class="form" method="post" action="${CONFIRM_PATH}">
        ${back}${hidden("username", user.name)}
        ${inputField({
          label: "Password",
          name: "password",
          type: "password",
          autocomplete: "current-password",
          required: true,
          autofocus: true,
          maxlength: 255,
        })}
        <button class="primary">Continue</button>
      </form>
    `
    return sendShown(
      services,
      request,
      reply,
      stepPage(
        "Is it you?",
        html`
          ${problemBeside(refusal, [])}
          <p>
            This changes how <strong>${user.name}</strong> signs in, so show once more that it is you. For fifteen
            minutes you are not asked again.
          </p>
          ${user.password_hash !== "" && withPassword}
          ${passkeyForm(passkey, { action: CONFIRM_PATH, button: "Use a passkey or security key", fields: [back] })}
          ${others.map(
            (provider) =>
              html`
                <a
                  class="button"
                  href="/user/oauth2/${provider.name}?redirect_to=${encodeURIComponent(target)}"
                  rel="nofollow"
                >
                  Sign in with ${titleOf(provider)} again
                </a>
              `,
          )}
        `,
        { status: refusal?.status ?? 200, ...(passkey && { modules: ["passkey"] }) },
      ),
    )
  }
}
