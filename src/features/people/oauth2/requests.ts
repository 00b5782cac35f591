import { hash } from "node:crypto"
import type { Services } from "../../../core/services.ts"
import { type Application, redirectsOf } from "./applications.ts"
import { OAuth2Error } from "./errors.ts"
import { isRegistered } from "./redirects.ts"
import { readScopes } from "./scopes.ts"
import { findApplicationByClient } from "./store.ts"

/** What an application asks a person for, checked. */
export interface AuthorizationRequest {
  readonly application: Application
  readonly redirectUri: string
  readonly state: string | undefined
  readonly scopes: readonly string[]
  readonly nonce: string
  /** Of PKCE, S256; "" without. */
  readonly challenge: string
  readonly prompts: ReadonlySet<string>
  /** How many seconds ago the person may have signed in. */
  readonly maxAge: number | undefined
}

/** The authorization endpoint, with the page that asks the person, and what applications send there; other parameters mean nothing. */
export const AUTHORIZE_PATH = "/login/oauth/authorize"
export const PARAMETERS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "prompt",
  "max_age",
  "request",
  "request_uri",
] as const

export type ReadRequest =
  | { readonly kind: "valid"; readonly request: AuthorizationRequest }
  /** Nothing may be sent to the address in the request: the person is told. */
  | { readonly kind: "untrusted"; readonly reason: string }
  | { readonly kind: "refused"; readonly redirectUri: string; readonly state: string | undefined; readonly error: OAuth2Error }

/** Longer values are no use; an honest client's are short. */
const LONGEST = 2_000
const PROMPTS = new Set(["none", "login", "consent", "select_account"])

/**
 * Reads an authorization request (RFC 6749, 4.1.1, with PKCE and OpenID Connect). The address is looked at first: it must be registered, or nothing is sent
 * there, not even an error.
 */
export async function readRequest({ database }: Pick<Services, "database">, parameters: URLSearchParams): Promise<ReadRequest> {
  const only = (name: string): string | undefined => parameters.get(name) || undefined
  const untrusted = (reason: string): ReadRequest => ({ kind: "untrusted", reason })
  for (const name of ["client_id", "redirect_uri"])
    if (parameters.getAll(name).length !== 1) return untrusted(`The application’s link must have ${name} once.`)
  const clientId = only("client_id")
  if (clientId === undefined || clientId.length > LONGEST || clientId.includes("\0")) return untrusted(UNKNOWN)
  const application = await findApplicationByClient.first(database.read, { clientId })
  if (!application) return untrusted(UNKNOWN)
  const redirectUri = only("redirect_uri") ?? ""
  const isPublic = application.is_confidential === 0
  if (!isRegistered(redirectUri, { registered: redirectsOf(application), isPublic }))
    return untrusted(`The application ${application.name} has not registered the address to which it wants you to be sent.`)
  const state = only("state")
  try {
    return { kind: "valid", request: { application, redirectUri, state, ...readRest(parameters, isPublic) } }
  } catch (error) {
    if (error instanceof OAuth2Error) return { kind: "refused", redirectUri, state, error }
    throw error
  }
}

const UNKNOWN = "No application of this id is registered here."

function readRest(parameters: URLSearchParams, isPublic: boolean) {
  const only = (name: string): string | undefined => parameters.get(name) || undefined
  for (const name of new Set(parameters.keys())) {
    if (parameters.getAll(name).length > 1) throw new OAuth2Error("invalid_request", `${name} must be sent once`)
    if ((only(name)?.length ?? 0) > LONGEST) throw new OAuth2Error("invalid_request", `${name} is too long`)
    if (only(name)?.includes("\0")) throw new OAuth2Error("invalid_request", `${name} must have no NUL character`)
  }
  if (parameters.has("request")) throw new OAuth2Error("request_not_supported", "requests as JWT are not supported")
  if (parameters.has("request_uri")) throw new OAuth2Error("request_uri_not_supported", "requests at an address are not supported")
  if (only("response_type") !== "code") throw new OAuth2Error("unsupported_response_type", "response_type must be code")
  if ((only("response_mode") ?? "query") !== "query") throw new OAuth2Error("invalid_request", "response_mode must be query")
  const challenge = only("code_challenge") ?? ""
  const method = only("code_challenge_method")
  if (challenge !== "" && method !== "S256") throw new OAuth2Error("invalid_request", "code_challenge_method must be S256")
  if (challenge === "" && method !== undefined) throw new OAuth2Error("invalid_request", "code_challenge is missing")
  if (challenge !== "" && !/^[\w-]{43}$/.test(challenge))
    throw new OAuth2Error("invalid_request", "code_challenge must be a SHA-256 digest in base64url")
  if (challenge === "" && isPublic)
    throw new OAuth2Error("invalid_request", "this application can't keep a secret, so it has to use PKCE: code_challenge is missing")
  const scopes = readScopes(only("scope") ?? "")
  if (!scopes) throw new OAuth2Error("invalid_scope", "scope has a word that is unknown here")
  const prompts = new Set((only("prompt") ?? "").split(" ").filter((word) => PROMPTS.has(word)))
  if (prompts.has("none") && prompts.size > 1) throw new OAuth2Error("invalid_request", "prompt none must stand alone")
  const maxAge = only("max_age")
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) throw new OAuth2Error("invalid_request", "max_age must be a number of seconds")
  return { challenge, scopes, prompts, nonce: only("nonce") ?? "", maxAge: maxAge === undefined ? undefined : Number(maxAge) }
}

/**
 * Whether the verifier is what the challenge of PKCE was made from. A verifier without a challenge is refused too: the challenge was taken away. Only its
 * length and digest decide: clients send base64 with letters that RFC 7636 doesn't have.
 */
export const isVerified = (challenge: string, verifier: string | undefined): boolean =>
  challenge === ""
    ? verifier === undefined
    : verifier !== undefined && verifier.length >= 43 && verifier.length <= 128 && hash("sha256", verifier, "base64url") === challenge
