import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { link } from "../../../features/people/providers/links.ts"
import { openProviders, titleOf } from "../../../features/people/providers/providers.ts"
import { mayRegister, signUpBy } from "../../../features/people/registration/registration.ts"
import { isConfirmed } from "../../../features/people/sessions/sessions.ts"
import type { SignIn, Stranger } from "../../../features/people/sign-in/sign-in.ts"
import { field as inputField } from "../../../web/components.ts"
import { clientAddress } from "../../client/address.ts"
import { LOGIN_PATH, loginFor, queryOf, sessionOf, setStepTicket, stepTicket } from "../../client/session.ts"
import { ownPath, sendAway, sendOn } from "../../routing/redirect.ts"
import { FORM, formOf, withRetryAfter } from "../form.ts"
import { sendShown } from "../pages/server.ts"
import { beginAgain, faultOf, hidden, passwordFields, problemBeside, stepPage } from "../pages/sign-in-forms.ts"
import { orAgain } from "./again.ts"
import { confirmFor } from "./confirm.ts"
import { goOnWith } from "./login.ts"

const LINK_PATH = "/user/link_account"
const SECURITY_PATH = "/user/settings/security"

type Named = { Params: { readonly provider: string } }

/** Sign-in at other providers, and what becomes of an account there that nobody here has. */
export function registerProviders(app: FastifyInstance, services: Services, signIn: SignIn): void {
  if (services.config.signIn.providers.length === 0) return
  const providers = openProviders(services)

  const titleFor = (name: string): string => {
    const provider = services.config.signIn.providers.find((each) => each.name === name)
    return provider ? titleOf(provider) : name
  }

  const failed = (request: FastifyRequest, reply: FastifyReply, { status, message }: Refusal): Promise<FastifyReply> =>
    sendShown(
      services,
      request,
      reply,
      stepPage(
        "You are not signed in",
        html`
          <div class="notice bad" role="alert">${message}.</div>
          ${beginAgain}
        `,
        { status },
      ),
    )

  app.get<Named>("/user/oauth2/:provider", async (request, reply) => {
    const target = ownPath(queryOf(request).get("redirect_to") ?? "")
    return orAgain(
      async () => {
        const { address, ticket } = await providers.begin(request.params.provider, { target, isRemembered: false, linkTo: 0 })
        return sendAway(setStepTicket(services, reply, ticket), address)
      },
      (refusal) => failed(request, reply, refusal),
    )
  })

  // A form, so that no other site can link an account of its own choice with that of a visitor.
  app.post<Named>("/user/oauth2/:provider", FORM, async (request, reply) => {
    const session = await sessionOf(services, request)
    if (!session) return sendOn(reply, loginFor(SECURITY_PATH))
    if (!isConfirmed(services, session)) return sendOn(reply, confirmFor(SECURITY_PATH))
    const name = request.params.provider
    const { address, ticket } = await providers.begin(name, { target: SECURITY_PATH, isRemembered: false, linkTo: session.user.id })
    setStepTicket(services, reply, ticket)
    // Browsers hold redirects of a form against the page's policy; a link is free to lead elsewhere.
    const title = `Link your account at ${titleFor(name)}`
    return sendShown(
      services,
      request,
      reply,
      stepPage(
        title,
        html`
          <p>You sign in there, and come back.</p>
          <a class="button primary" href="${address}">Go on to ${titleFor(name)}</a>
        `,
      ),
    )
  })

  app.get<Named>("/user/oauth2/:provider/callback", async (request, reply) =>
    orAgain(
      async () => {
        const name = request.params.provider
        const { identity, target, isRemembered, linkTo } = await providers.finish(name, queryOf(request), stepTicket(services, request))
        setStepTicket(services, reply, "")
        if (linkTo !== 0) {
          const session = await sessionOf(services, request)
          if (session?.user.id !== linkTo) throw refuse.badRequest("You are signed in as somebody else meanwhile")
          await services.database.write((tx) => link(services, tx, session.user, identity))
          return sendOn(reply, target)
        }
        const step = await signIn.byIdentity(identity, isRemembered)
        if (step) return goOnWith(services, request, reply, step, target)
        return sendOn(setStepTicket(services, reply, signIn.sealStranger({ identity, target, isRemembered })), LINK_PATH)
      },
      (refusal) => failed(request, setStepTicket(services, reply, ""), refusal),
    ),
  )

  app.get(LINK_PATH, async (request, reply) => {
    const stranger = signIn.openStranger(stepTicket(services, request))
    return stranger ? choose(request, reply, { stranger }) : sendOn(reply, LOGIN_PATH)
  })

  app.post(LINK_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const stranger = signIn.openStranger(stepTicket(services, request))
    if (!stranger) return sendOn(reply, LOGIN_PATH)
    const { identity, target, isRemembered } = stranger
    const [login, name] = [field("login").trim(), field("name").trim()]
    return orAgain(
      async () => {
        if (field("new") !== "") {
          await signUpBy(services, identity, name)
          const step = await signIn.byIdentity(identity, isRemembered)
          if (!step) throw refuse.badRequest("Please begin again")
          return goOnWith(services, request, setStepTicket(services, reply, ""), step, target)
        }
        const shown = { login, password: field("password"), isRemembered, address: clientAddress(request), identity }
        const step = await signIn.byPassword(shown)
        return goOnWith(services, request, setStepTicket(services, reply, ""), step, target)
      },
      (refusal) => choose(request, withRetryAfter(reply, refusal), { stranger, login, name, refusal }),
    )
  })

  function choose(request: FastifyRequest, reply: FastifyReply, { stranger, login = "", name, refusal }: Choice): Promise<FastifyReply> {
    const { identity } = stranger
    const there = titleFor(identity.provider)
    const isNew = mayRegister(services, identity)
    const fault = faultOf(refusal, "username") ?? faultOf(refusal, "email")
    const make = html`
      <h2>Create a new account</h2>
      <form class="form" method="post" action="${LINK_PATH}">
        ${hidden("new", "1")}
        ${inputField({
          label: "User name",
          name: "name",
          value: name ?? identity.userName,
          autocomplete: "username",
          required: true,
          maxlength: 40,
          fault,
        })}
        <p>With the address ${identity.verifiedEmail}.</p>
        <button>Create account</button>
      </form>
    `
    return sendShown(
      services,
      request,
      reply,
      stepPage(
        `You come from ${there}`,
        html`
          ${fault === undefined && problemBeside(refusal, [])}
          <p>Nobody here is linked with <strong><bdi>${identity.label}</bdi></strong> at ${there} yet.</p>
          <h2>Link an existing account</h2>
          <form class="form" method="post" action="${LINK_PATH}">
            ${passwordFields(login)}<button class="primary">Sign in and link</button>
          </form>
          ${isNew && make}
        `,
        { status: refusal?.status ?? 200 },
      ),
    )
  }
}

interface Choice {
  readonly stranger: Stranger
  readonly login?: string
  readonly name?: string
  readonly refusal?: Refusal
}
