import type { FastifyRequest } from "fastify"
import { type Refusal, refuse } from "../core/errors.ts"
import type { Services } from "../core/services.ts"
import { readAuthorization } from "../features/people/sign-in/credentials/credentials.ts"
import { declaredRoute } from "./routing/routes.ts"

/**
 * Protection against requests that a page of another site makes (CSRF). A browser adds passwords that it remembers to every request, so a change is
 * refused where a page of another origin asked for it. A token is exempt: no page of another site has one, or may send it. Programs other than
 * browsers don't send the headers that this depends on.
 */

const SAFE = new Set(["GET", "HEAD", "OPTIONS"])

/** In the names of the cookies of sessions, see client/session.ts. */
const SESSION = "hearth_session="

/** The values of Sec-Fetch-Site for our own pages, and for what a person started without a page. */
const OUR_PAGES = new Set(["same-origin", "none"])

/** The refusal of a change that a page of another origin asks for, or undefined. Routes that take no credentials of a browser are exempt. */
export function refusalOfOtherSites({ site }: Services, request: FastifyRequest): Refusal | undefined {
  const { method, headers, routeOptions } = request
  if (SAFE.has(method) || routeOptions.config.fromAnySite === true || declaredRoute(request)?.fromAnySite === true) return undefined
  // Browsers leave this header out where the address is plain http, but then Origin comes with every change.
  const from = headers["sec-fetch-site"]
  if (from === undefined ? isOurs(headers, site.rootUrl) : OUR_PAGES.has(String(from))) return undefined
  if (readAuthorization(headers.authorization).kind === "token") return undefined
  return refuse.forbidden("a page of another site asks for this change; send an access token in the Authorization header to allow it")
}

/** Whether a request comes from a page below the public address or the one that was called, or from a program: one without the cookie of a session. */
function isOurs({ origin, host, cookie }: FastifyRequest["headers"], rootUrl: string): boolean {
  if (origin === undefined) return !cookie?.includes(SESSION)
  // A proxy may have taken the TLS off, so the protocol says nothing beside the host that was called.
  const from = URL.parse(origin)
  return from !== null && (from.origin === new URL(rootUrl).origin || from.host === host?.toLowerCase())
}
