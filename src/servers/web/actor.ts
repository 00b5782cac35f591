import type { FastifyRequest } from "fastify"
import { neededScopes, scopeAllows } from "../../access/scopes.ts"
import { type Actor, signedInAs } from "../../core/actor.ts"
import type { ScopeCategory } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { type Authenticator, requireUsable } from "../../features/people/authentication/authenticate.ts"
import { readAuthorization } from "../../features/people/authentication/credentials.ts"
import { clientAddress } from "../client/address.ts"
import { sessionOf } from "./session.ts"

/** The caller of a request outside of the API: by its Authorization header, or for reading by the session of the browser. Refuses as signing in to the API does. */
export async function actorOf(request: FastifyRequest, services: Services, authenticator: Authenticator): Promise<Actor> {
  // A person who follows a link has a session and no header.
  const session = request.headers.authorization === undefined && isRead(request) ? await sessionOf(services, request) : undefined
  if (session) return signedInAs(session.user)
  const code = request.headers["x-gitea-otp"]
  const actor = await authenticator.authenticate({
    presented: readAuthorization(request.headers.authorization),
    code: Array.isArray(code) ? code[0] : code,
    address: clientAddress(request),
  })
  requireUsable(actor, services.site.rootUrl)
  return actor
}

const isRead = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD"

/** Whether the caller may read this category at all: a token needs the scope for it, and some sites show nothing to anonymous callers. */
export function mayReadCategory(services: Services, actor: Actor, category: ScopeCategory): boolean {
  if (actor.kind === "anonymous") return !services.config.security.requireSignIn
  const { credential } = actor
  return credential.kind !== "token" || neededScopes("GET", [category]).every((scope) => scopeAllows(credential.scopes, scope))
}
