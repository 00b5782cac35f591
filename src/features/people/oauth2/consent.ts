import { SealBroken } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import type { Session } from "../sign-in/sessions/sessions.ts"
import { OAuth2Error } from "./errors.ts"
import { isAgreed, issueCode } from "./grants.ts"
import { withParameters } from "./redirects.ts"
import { type AuthorizationRequest, type ReadRequest, readRequest } from "./requests.ts"

/** The authorization endpoint: what becomes of a request, and of what the person says to it. Nothing of a request is kept in the session: the form carries it, sealed. */

export type Decision =
  /** The browser goes back to the application, with a code or an error. */
  | { readonly kind: "answered"; readonly address: string }
  /** Nothing may be sent to the address in the request: the person is told. */
  | Extract<ReadRequest, { readonly kind: "untrusted" }>
  | { readonly kind: "signInFirst"; readonly again: boolean }
  | { readonly kind: "ask"; readonly session: Session; readonly request: AuthorizationRequest }

/** What becomes of a request that a browser with this session arrives with. */
export async function decide(services: Services, session: Session | undefined, parameters: URLSearchParams): Promise<Decision> {
  const read = await readRequest(services, parameters)
  if (read.kind !== "valid") return refused(services, read)
  const { request } = read
  const withError = (...error: ConstructorParameters<typeof OAuth2Error>) => answeredBy(services, request, new OAuth2Error(...error))
  const isSilent = request.prompts.has("none")
  if (!session || mustSignInAgain(services, request, session))
    return isSilent ? withError("login_required", "no one is signed in") : { kind: "signInFirst", again: session !== undefined }
  if (await isAgreed(services.database.read, session.user, request)) return withCode(services, session, request)
  return isSilent ? withError("consent_required", "the person has to be asked") : { kind: "ask", session, request }
}

/** What becomes of the answer of the person; undefined for a form that is too old, or was shown to another session. */
export async function conclude(
  services: Services,
  session: Session,
  { sealed, isGranted }: { readonly sealed: string; readonly isGranted: boolean },
): Promise<Exclude<Decision, { readonly kind: "ask" | "signInFirst" }> | undefined> {
  const parameters = openForm(services, session, sealed)
  if (!parameters) return undefined
  // The application may have changed since the page was shown.
  const read = await readRequest(services, parameters)
  if (read.kind !== "valid") return refused(services, read)
  if (!isGranted) return answeredBy(services, read.request, new OAuth2Error("access_denied", "the person said no"))
  return withCode(services, session, read.request)
}

const mustSignInAgain = ({ now }: Services, { prompts, maxAge }: AuthorizationRequest, { signedInAt }: Session): boolean =>
  prompts.has("login") || prompts.has("select_account") || (maxAge !== undefined && now() - signedInAt > maxAge)

/** How long a person may think about it, in seconds. */
const CONSENT_SECONDS = 3_600

const contextOf = ({ id }: Session): string => `oauth2 consent:${id}`

/** What the form carries: it is good for this session alone. */
export const sealForm = ({ secrets, now }: Services, session: Session, parameters: URLSearchParams): string =>
  secrets.seal(`${now() + CONSENT_SECONDS} ${parameters}`, contextOf(session))

function openForm({ secrets, now }: Services, session: Session, sealed: string): URLSearchParams | undefined {
  try {
    const [until = "", query = ""] = secrets.unseal(sealed, contextOf(session)).split(" ", 2)
    return Number(until) > now() ? new URLSearchParams(query) : undefined
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}

async function withCode(services: Services, { user, signedInAt }: Session, request: AuthorizationRequest) {
  const { database, site, now } = services
  const code = await database.write((tx) => issueCode(tx, { user, request, signedInAt, now: now() }))
  return answered(request.redirectUri, { code, state: request.state, iss: site.rootUrl })
}

const answeredBy = ({ site }: Services, to: Pick<AuthorizationRequest, "redirectUri" | "state">, { word, message }: OAuth2Error) =>
  answered(to.redirectUri, { error: word, error_description: message, state: to.state, iss: site.rootUrl })

const answered = (address: string, parameters: Parameters<typeof withParameters>[1]) =>
  ({ kind: "answered", address: withParameters(address, parameters) }) as const

const refused = (services: Services, read: Exclude<ReadRequest, { readonly kind: "valid" }>) =>
  read.kind === "refused" ? answeredBy(services, read, read.error) : read
