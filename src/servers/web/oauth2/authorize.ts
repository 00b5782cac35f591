import type { FastifyInstance, FastifyReply } from "fastify"
import { findUserById } from "../../../access/store.ts"
import { html } from "../../../core/html.ts"
import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { OAuth2Error } from "../../../features/people/oauth2/errors.ts"
import { isAgreed, issueCode } from "../../../features/people/oauth2/grants.ts"
import { withParameters } from "../../../features/people/oauth2/redirects.ts"
import { type AuthorizationRequest, type ReadRequest, readRequest } from "../../../features/people/oauth2/requests.ts"
import { inWords } from "../../../features/people/oauth2/scopes.ts"
import type { Session } from "../../../features/people/sessions/sessions.ts"
import { LOGOUT_PATH, loginFor, queryOf, sessionOf } from "../../client/session.ts"
import { sendAway, sendOn } from "../../routing/redirect.ts"
import { sendPrivatePage } from "../accounts/private-page.ts"
import { FORM, formOf } from "../form.ts"
import { AUTHORIZE_PATH, sourceOf } from "../form-targets.ts"
import { OPEN, onlyMethods } from "./answers.ts"

const GRANT_PATH = "/login/oauth/grant"

/** How long a person may think about it, in seconds. */
const CONSENT_SECONDS = 3_600

/** The authorization endpoint with the page that asks the person. Nothing of a request is kept in the session: the form carries it, sealed. */
export function registerAuthorize(app: FastifyInstance, services: Services): void {
  const { database, secrets, site, now } = services

  app.get(AUTHORIZE_PATH, async (request, reply) => {
    const parameters = queryOf(request)
    const read = await readRequest(services, parameters)
    if (read.kind !== "valid") return sendRefused(reply, read)
    const session = await sessionOf(services, request)
    const { prompts } = read.request
    if (!session || mustSignInAgain(read.request, session)) {
      if (prompts.has("none")) return sendError(reply, read.request, new OAuth2Error("login_required", "nobody is signed in"))
      return sendOn(reply, signInFirst(parameters, session !== undefined))
    }
    if (await isAgreed(database.read, session.user, read.request)) return sendCode(reply, session, read.request)
    if (prompts.has("none")) return sendError(reply, read.request, new OAuth2Error("consent_required", "the person has to be asked"))
    return ask(reply, session, read.request, parameters)
  })

  // A page of another site may send the same as a form; the cookie doesn't come with it, but with the redirect.
  app.post(AUTHORIZE_PATH, { ...FORM, config: OPEN }, async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : ""
    return sendOn(reply, `${AUTHORIZE_PATH}?${new URLSearchParams(body)}`)
  })
  onlyMethods(app, AUTHORIZE_PATH, "GET", "POST")

  app.post(GRANT_PATH, FORM, async (request, reply) => {
    const field = formOf(request)
    const session = await sessionOf(services, request)
    const parameters = session && openForm(session, field("request"))
    if (!session || !parameters)
      return sendPrivatePage(
        services,
        reply,
        400,
        "Please begin again",
        html`
          <p class="notice bad" role="alert">This form is too old, or you have signed in anew since it was shown.</p>
          <p>Go back to the application and start once more.</p>
        `,
      )
    // The application may have changed since the page was shown.
    const read = await readRequest(services, parameters)
    if (read.kind !== "valid") return sendRefused(reply, read)
    if (field("granted") !== "true") return sendError(reply, read.request, new OAuth2Error("access_denied", "the person said no"))
    return sendCode(reply, session, read.request)
  })
  onlyMethods(app, GRANT_PATH, "POST")

  const mustSignInAgain = ({ prompts, maxAge }: AuthorizationRequest, { signedInAt }: Session): boolean =>
    prompts.has("login") || prompts.has("select_account") || (maxAge !== undefined && now() - signedInAt > maxAge)

  const contextOf = ({ id }: Session): string => `oauth2 consent:${id}`

  function sealForm(session: Session, parameters: URLSearchParams): string {
    return secrets.seal(`${now() + CONSENT_SECONDS} ${parameters}`, contextOf(session))
  }

  /** The request that a form was shown for, to this session. */
  function openForm(session: Session, sealed: string): URLSearchParams | undefined {
    try {
      const [until = "", query = ""] = secrets.unseal(sealed, contextOf(session)).split(" ", 2)
      return Number(until) > now() ? new URLSearchParams(query) : undefined
    } catch (error) {
      if (error instanceof SealBroken) return undefined
      throw error
    }
  }

  async function sendCode(reply: FastifyReply, { user, signedInAt }: Session, request: AuthorizationRequest): Promise<FastifyReply> {
    const code = await database.write((tx) => issueCode(tx, { user, request, signedInAt, now: now() }))
    return sendAway(reply, withParameters(request.redirectUri, { code, state: request.state, iss: site.rootUrl }))
  }

  const sendError = (reply: FastifyReply, to: Pick<AuthorizationRequest, "redirectUri" | "state">, error: OAuth2Error): FastifyReply =>
    sendAway(
      reply,
      withParameters(to.redirectUri, { error: error.word, error_description: error.message, state: to.state, iss: site.rootUrl }),
    )

  const sendRefused = (
    reply: FastifyReply,
    read: Exclude<ReadRequest, { readonly kind: "valid" }>,
  ): FastifyReply | Promise<FastifyReply> =>
    read.kind === "refused"
      ? sendError(reply, read, read.error)
      : sendPrivatePage(
          services,
          reply,
          400,
          "This link is not right",
          html`
            <p class="notice bad" role="alert">${read.reason}</p>
            <p>Nothing was sent to it. Whoever runs the application can put this right.</p>
          `,
        )

  async function ask(
    reply: FastifyReply,
    session: Session,
    request: AuthorizationRequest,
    parameters: URLSearchParams,
  ): Promise<FastifyReply> {
    const { application, scopes, redirectUri } = request
    const owner = application.owner_id === null ? undefined : await findUserById.first(database.read, { id: application.owner_id })
    const by = owner ? html`made by <a href="/${encodeURIComponent(owner.name)}">${owner.name}</a>` : `which comes with ${site.host}`
    const items = inWords(scopes).map((sentence) => html`<li>${sentence}</li>`)
    const warning = scopes.includes("all")
      ? html`
        <p class="notice bad" role="alert">
          This is everything: it can delete repositories and change your account. Allow it only if you trust it
          entirely.
        </p>
      `
      : ""
    return sendPrivatePage(
      services,
      reply,
      200,
      `Allow ${application.name}?`,
      html`
        <p>
          The application <b>${application.name}</b>, ${by}, wants to act for you, <b>${session.user.name}</b>. It
          could:
        </p>
        <ul>${items}</ul>
        ${warning}
        <p>You will be sent to <code>${redirectUri}</code>.</p>
        <form class="form" method="post" action="${GRANT_PATH}">
          <input name="request" type="hidden" value="${sealForm(session, parameters)}">
          <div class="bar">
            <button class="primary" name="granted" value="true">Allow</button>
            <button name="granted" value="false">Don’t allow</button>
          </div>
        </form>
        <p>
          You can take this back at any time among <a href="/user/settings/applications/grants">
            the applications that you have authorized
          </a>. Not ${session.user.name}? <a href="${LOGOUT_PATH}">Sign out</a>
        </p>
      `,
      [sourceOf(redirectUri)],
    )
  }
}

/** The sign-in page, which leads back to the request; without what asks for that sign-in, so that it is asked for once. */
function signInFirst(parameters: URLSearchParams, again: boolean): string {
  const after = new URLSearchParams(parameters)
  const prompts = (after.get("prompt") ?? "").split(" ").filter((word) => word !== "login" && word !== "select_account")
  after.delete("prompt")
  if (prompts.join("") !== "") after.set("prompt", prompts.join(" "))
  return `${loginFor(`${AUTHORIZE_PATH}?${after}`)}${again ? "&again=1" : ""}`
}
