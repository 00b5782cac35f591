import { anyone } from "../../../access/policies/site.ts"
import { findUserById } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { away, moved, type Page, type PageAnswer, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { conclude, type Decision, decide, sealForm } from "../../../features/people/oauth2/consent.ts"
import { AUTHORIZE_PATH, PARAMETERS } from "../../../features/people/oauth2/requests.ts"
import { inWords } from "../../../features/people/oauth2/scopes.ts"
import { LOGOUT_PATH, loginFor, queryOf } from "../../../web/address.ts"
import { plainPage } from "../../../web/sign-in.ts"
import { sessionOfReader } from "../../parts/sign-in/confirmed.ts"
import { sourceOf } from "../../parts/sign-in/form-targets.ts"
import { text } from "../../parts/sign-in/steps.ts"

const GRANT_PATH = "/login/oauth/grant"

/** The provider of OAuth2 and OpenID Connect; nothing of it is there where it is switched off. */
const whereProvided = ({ config }: Services): void => {
  if (!config.oauth2.enabled) throw refuse.notFound()
}

/** Characters of an address that browsers and proxies take. */
const LONGEST_ADDRESS = 8_000

// Who has to set up a second factor first is not let in elsewhere either.
const shared = { access: anyone, beforeSignIn: true, withoutFactor: false } as const

/** The authorization endpoint with the page that asks the person. */
export const authorizePages: readonly Page[] = [
  page({
    ...shared,
    id: "oauth2.authorize",
    address: `GET ${AUTHORIZE_PATH}`,
    answer: async ({ services, reader }) => {
      whereProvided(services)
      const parameters = queryOf(reader.url)
      const decision = await decide(services, await sessionOfReader(services, reader), parameters)
      if (decision.kind === "signInFirst") return moved(signInFirst(parameters, decision.again))
      return decision.kind === "ask" ? consentPage(services, decision, parameters) : answerOf(decision)
    },
  }),

  // A page of another site may send the same as a form; the cookie doesn't come with it, but with the redirect.
  page({
    ...shared,
    id: "oauth2.authorizeByForm",
    address: `POST ${AUTHORIZE_PATH}`,
    fromAnySite: true,
    query: Object.fromEntries(PARAMETERS.map((name) => [name, Type.Optional(Type.Array(Type.String()))])),
    answer: ({ services, query }) => {
      whereProvided(services)
      const sent = new URLSearchParams()
      for (const [name, values = []] of Object.entries(query)) for (const value of values) sent.append(name, value)
      const to = `${AUTHORIZE_PATH}?${sent}`
      if (to.length > LONGEST_ADDRESS) throw refuse.tooLarge()
      return moved(to)
    },
  }),

  page({
    ...shared,
    id: "oauth2.grant",
    address: `POST ${GRANT_PATH}`,
    query: { request: text, granted: text },
    answer: async ({ services, reader, query: { request: sealed = "", granted } }) => {
      whereProvided(services)
      const session = await sessionOfReader(services, reader)
      const concluded = session && (await conclude(services, session, { sealed, isGranted: granted === "true" }))
      return concluded ? answerOf(concluded) : tooOld
    },
  }),
]

const tooOld = plainPage(
  t("Please start again"),
  html`
    <p class="notice bad" role="alert">This form has expired, or you have signed in again since it was shown.</p>
    <p>Go back to the application and try again.</p>
  `,
  { status: 400 },
)

const answerOf = (decision: Extract<Decision, { readonly kind: "answered" | "untrusted" }>): PageAnswer =>
  decision.kind === "answered"
    ? away(decision.address)
    : plainPage(
        t("Invalid authorization request"),
        html`
          <p class="notice bad" role="alert">${decision.reason}</p>
          <p>Nothing was sent to it. Contact the developer of the application.</p>
        `,
        { status: 400 },
      )

async function consentPage(
  services: Services,
  { session, request }: Extract<Decision, { readonly kind: "ask" }>,
  parameters: URLSearchParams,
): Promise<Shown> {
  const { application, scopes, redirectUri } = request
  const owner = application.owner_id === null ? undefined : await findUserById.first(services.database.read, { id: application.owner_id })
  const by = owner
    ? html`made by <a href="/${encodeURIComponent(owner.name)}">${owner.name}</a>`
    : t("which comes with {host}", { host: services.site.host })
  const { name } = session.user
  return plainPage(
    t("Authorize {name}?", { name: application.name }),
    html`
      <p>The application <b>${application.name}</b>, ${by}, wants to access your account, <b>${name}</b>. It could:</p>
      <ul>${inWords(scopes).map((sentence) => html`<li>${sentence}</li>`)}</ul>
      ${scopes.includes("all") && EVERYTHING}
      <p>You will be redirected to <code>${redirectUri}</code>.</p>
      <form class="form" method="post" action="${GRANT_PATH}">
        <input name="request" type="hidden" value="${sealForm(services, session, parameters)}">
        <div class="bar">
          <button class="primary" name="granted" value="true">Authorize</button>
          <button name="granted" value="false">Cancel</button>
        </div>
      </form>
      <p>
        You can revoke this at any time in <a href="/user/settings/applications/grants">
          your authorized applications
        </a>. Not ${name}? <a href="${LOGOUT_PATH}">Sign out</a>
      </p>
    `,
    { formTargets: [sourceOf(redirectUri)] },
  )
}

export const EVERYTHING: Html = html`
  <p class="notice bad" role="alert">
    This is full access: it can delete repositories and change your account. Authorize it only if you trust it entirely.
  </p>
`

/** The sign-in page, which leads back to the request; without what asks for that sign-in, so that it is asked for once. */
function signInFirst(parameters: URLSearchParams, again: boolean): string {
  const after = new URLSearchParams(parameters)
  const prompts = (after.get("prompt") ?? "").split(" ").filter((word) => word !== "login" && word !== "select_account")
  after.delete("prompt")
  if (prompts.join("") !== "") after.set("prompt", prompts.join(" "))
  return `${loginFor(`${AUTHORIZE_PATH}?${after}`)}${again ? "&again=1" : ""}`
}
