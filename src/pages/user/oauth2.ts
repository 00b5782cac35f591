import { anyone } from "../../access/policies/site.ts"
import { type Refusal, refuse } from "../../core/errors.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { away, moved, type Page, page, type Shown } from "../../core/page.ts"
import { link } from "../../features/people/sign-in/providers/links.ts"
import { providersOf, titleFor } from "../../features/people/sign-in/providers/providers.ts"
import { isConfirmed } from "../../features/people/sign-in/sessions/sessions.ts"
import { signInOf } from "../../features/people/sign-in/sign-in.ts"
import { confirmFor, loginFor, ownPath, queryOf } from "../../web/address.ts"
import { sentence } from "../../web/problem.ts"
import { beginAgain, stepPage } from "../../web/sign-in.ts"
import { sessionOfReader } from "../parts/sign-in/confirmed.ts"
import { goOn, LINK_PATH, text } from "../parts/sign-in/steps.ts"

const SECURITY_PATH = "/user/settings/security"
const PROVIDER = "/user/oauth2/{provider}"

const shared = { access: anyone, beforeSignIn: true } as const

/** Sign-in at other providers. What becomes of an account there that no one here has is in link-account.ts. */
export const providerPages: readonly Page[] = [
  page({
    ...shared,
    id: "provider.begin",
    address: `GET ${PROVIDER}`,
    query: { redirect_to: text },
    again: (_call, refusal) => failed(refusal),
    answer: async ({ services, path: { provider }, query: { redirect_to = "" } }) => {
      const target = ownPath(redirect_to)
      const { address, ticket } = await providersOf(services).begin(provider, { target, isRemembered: false, linkTo: 0 })
      return away(address, { keeps: { step: ticket } })
    },
  }),

  // A form, so that no other site can link an account of its own choice with that of a visitor.
  page({
    ...shared,
    id: "provider.link",
    address: `POST ${PROVIDER}`,
    answer: async ({ services, reader, path: { provider } }) => {
      const session = await sessionOfReader(services, reader)
      if (!session) return moved(loginFor(SECURITY_PATH))
      if (!isConfirmed(services, session)) return moved(confirmFor(SECURITY_PATH))
      const purpose = { target: SECURITY_PATH, isRemembered: false, linkTo: session.user.id }
      const { address, ticket } = await providersOf(services).begin(provider, purpose)
      return { ...leadingOn(titleFor(services, provider), address), keeps: { step: ticket } }
    },
  }),

  page({
    ...shared,
    id: "provider.callback",
    address: `GET ${PROVIDER}/callback`,
    again: (_call, refusal) => ({ ...failed(refusal), keeps: { step: undefined } }),
    answer: async ({ services, reader, path: { provider } }) => {
      const signIn = signInOf(services)
      const finished = await providersOf(services).finish(provider, queryOf(reader.url), reader.kept.step ?? "")
      const { identity, target, isRemembered, linkTo } = finished
      const keeps = { step: undefined }
      if (linkTo !== 0) {
        const session = await sessionOfReader(services, reader)
        if (session?.user.id !== linkTo) throw refuse.badRequest("You are now signed in as another user")
        await services.database.write((tx) => link(services, tx, session.user, identity, session.user))
        return moved(target, { keeps })
      }
      const step = await signIn.byIdentity(identity, isRemembered)
      if (step) return goOn(services, reader, step, { target, keeps })
      return moved(LINK_PATH, { keeps: { step: signIn.sealStranger({ identity, target, isRemembered }) } })
    },
  }),
]

function failed(refusal: Refusal): Shown {
  if (refusal.status >= 500 || refusal.kind === "notFound") throw refusal
  return stepPage(
    t("You are not signed in"),
    html`
      <div class="notice bad" role="alert">${sentence(refusal.said)}</div>
      ${beginAgain}
    `,
  )
}

/** Browsers hold redirects of a form against the page's policy; a link is free to lead elsewhere. */
const leadingOn = (there: string, address: string): Shown =>
  stepPage(
    t("Link your account at {there}", { there }),
    html`
      <p>You will be redirected there to sign in.</p>
      <a class="button primary" href="${address}">Continue to ${there}</a>
    `,
  )
