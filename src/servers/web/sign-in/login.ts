import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Refusal } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { SIGN_UP_PATH } from "../../../features/events/mail/compose-account.ts"
import { beginAssertion } from "../../../features/people/passkeys/passkeys.ts"
import { titleOf } from "../../../features/people/providers/providers.ts"
import { beginSession, endSession } from "../../../features/people/sessions/sessions.ts"
import type { Begun, Complete, SignIn } from "../../../features/people/sign-in/sign-in.ts"
import { clientAddress } from "../../client/address.ts"
import { LOGIN_PATH, LOGOUT_PATH, queryOf, sessionOf, sessionText, setSession } from "../../client/session.ts"
import { ownPath, sendOn } from "../../routing/redirect.ts"
import { FORM, formOf, withRetryAfter } from "../form.ts"
import { formTargetsFor } from "../form-targets.ts"
import { sendShown } from "../pages/server.ts"
import {
  beginAgain,
  codeField,
  hidden,
  PASSKEY_PATH,
  passkeyForm,
  passwordFields,
  problemBeside,
  remember,
  SECOND_PATH,
  stepPage,
} from "../pages/sign-in-forms.ts"
import { orAgain } from "./again.ts"

/** A sign-in goes on: with the session, or with the page of the second step. */
export async function goOnWith(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  step: Complete | Begun,
  target: string,
): Promise<FastifyReply> {
  if (step.kind === "begun") return sendSecond(services, request, reply, { step, target })
  const { user, method, isRemembered } = step
  const text = await beginSession(services, {
    user,
    method,
    isRemembered,
    address: clientAddress(request),
    agent: request.headers["user-agent"],
    earlier: sessionText(services, request),
  })
  return sendOn(setSession(services, reply, { text, isRemembered }), target)
}

interface Second {
  readonly step: Begun
  readonly target: string
  readonly refusal?: Refusal
}

async function sendSecond(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { step, target, refusal }: Second,
): Promise<FastifyReply> {
  const fields = [hidden("redirect_to", target), hidden("ticket", step.ticket)]
  return sendShown(
    services,
    request,
    reply,
    stepPage(
      "Your second factor",
      html`
        ${problemBeside(refusal, ["code"])}
        <form class="form" method="post" action="${SECOND_PATH}">
          ${fields}${codeField(refusal)}<button class="primary">Continue</button>
        </form>
        ${passkeyForm(step.passkey, { action: SECOND_PATH, button: "Use a passkey or security key", fields })}
        ${beginAgain}
      `,
      {
        status: refusal?.status ?? 200,
        formTargets: await formTargetsFor(services, target),
        ...(step.passkey && { modules: ["passkey"] }),
      },
    ),
  )
}

/** The pages for signing in, with a second step where there is one, and out. */
export function registerLogin(app: FastifyInstance, services: Services, signIn: SignIn): void {
  app.get(LOGIN_PATH, async (request, reply) => {
    const query = queryOf(request)
    const target = ownPath(query.get("redirect_to") ?? "")
    if (!query.has("again") && (await sessionOf(services, request))) return sendOn(reply, target)
    return first(request, reply, { target })
  })

  app.post(LOGIN_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const [login, target] = [field("login").trim(), ownPath(field("redirect_to"))]
    return orAgain(
      async () => {
        const shown = { login, password: field("password"), isRemembered: field("remember") !== "", address: clientAddress(request) }
        return goOnWith(services, request, reply, await signIn.byPassword(shown), target)
      },
      (refusal) => first(request, withRetryAfter(reply, refusal), { target, login, refusal }),
    )
  })

  // Without a begun sign-in there is nothing to go on with.
  for (const path of [SECOND_PATH, PASSKEY_PATH, "/user/webauthn"]) app.get(path, async (_request, reply) => sendOn(reply, LOGIN_PATH))

  app.post(SECOND_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const [ticket, target] = [field("ticket"), ownPath(field("redirect_to"))]
    const passkey = field("credential") === "" ? undefined : { ticket: field("passkey_ticket"), credential: field("credential") }
    return orAgain(
      async () => {
        const done = await signIn.secondStep({ ticket, code: field("code"), passkey, address: clientAddress(request) })
        return done ? goOnWith(services, request, reply, done, target) : tooLate(request, reply, target)
      },
      async (refusal) => {
        const step = await signIn.goOn(ticket)
        if (!step) return tooLate(request, reply, target)
        return sendSecond(services, request, withRetryAfter(reply, refusal), { step, target, refusal })
      },
    )
  })

  app.post(PASSKEY_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const target = ownPath(field("redirect_to"))
    return orAgain(
      async () => {
        const shown = { ticket: field("passkey_ticket"), credential: field("credential"), isRemembered: field("remember") !== "" }
        return goOnWith(services, request, reply, await signIn.byPasskey(shown), target)
      },
      (refusal) => first(request, withRetryAfter(reply, refusal), { target, refusal }),
    )
  })

  app.get(LOGOUT_PATH, async (request, reply) =>
    sendShown(
      services,
      request,
      reply,
      stepPage(
        "Sign out",
        html`<form method="post" action="${LOGOUT_PATH}"><button class="primary">Sign out of this browser</button></form>`,
      ),
    ),
  )

  app.post(LOGOUT_PATH, FORM, async (request, reply) => {
    const text = sessionText(services, request)
    if (text !== undefined) await endSession(services, text)
    return sendOn(setSession(services, reply, undefined), "/")
  })

  const tooLate = (request: FastifyRequest, reply: FastifyReply, target: string): Promise<FastifyReply> =>
    first(request, reply, { target, sentence: "That took too long, or the account has changed. Please begin again." })

  async function first(request: FastifyRequest, reply: FastifyReply, page: First): Promise<FastifyReply> {
    const { target, login = "", refusal, sentence } = page
    const ceremony = await beginAssertion(services)
    const { providers } = services.config.signIn
    const others = providers.map(
      (provider) =>
        html`
          <a
            class="button"
            href="/user/oauth2/${provider.name}?redirect_to=${encodeURIComponent(target)}"
            rel="nofollow"
          >
            Sign in with ${titleOf(provider)}
          </a>
        `,
    )
    return sendShown(
      services,
      request,
      reply,
      stepPage(
        "Sign in",
        html`
          ${sentence === undefined ? problemBeside(refusal, []) : html`<div class="notice bad" role="alert">${sentence}</div>`}
          <form class="form" method="post" action="${LOGIN_PATH}">
            ${hidden("redirect_to", target)}${passwordFields(login)}${remember()}
            <button class="primary">Sign in</button>
          </form>
          ${passkeyForm(ceremony, {
            action: PASSKEY_PATH,
            button: "Sign in with a passkey",
            fields: [hidden("redirect_to", target), hidden("remember", "")],
          })}
          ${others.length > 0 && html`<div class="bar">${others}</div>`}
          ${services.config.users.registration === "open" && html`<p>New here? <a href="${SIGN_UP_PATH}">Make an account</a></p>`}
        `,
        {
          status: sentence === undefined ? (refusal?.status ?? 200) : 400,
          formTargets: await formTargetsFor(services, target),
          ...(ceremony && { modules: ["passkey"] }),
        },
      ),
    )
  }
}

interface First {
  readonly target: string
  readonly login?: string
  readonly refusal?: Refusal
  readonly sentence?: string
}
