import type { FastifyRequest } from "fastify"
import { type Actor, signedInAs } from "../../core/actor.ts"
import type { Services } from "../../core/services.ts"
import { authenticatorOf, requireUsable } from "../../features/people/sign-in/authenticate.ts"
import { type Presented, readAuthorization } from "../../features/people/sign-in/credentials/credentials.ts"
import { clientAddress } from "../client/address.ts"
import { proxyPerson } from "../client/proxy-person.ts"
import { sessionOf } from "../client/session.ts"

/** The caller that a request's credentials name, by default those of its Authorization header. Refuses wrong ones, and accounts that may not act now. */
export async function callerByHeader(
  services: Services,
  request: FastifyRequest,
  presented: Presented = readAuthorization(request.headers.authorization),
): Promise<Actor> {
  const actor = await callerPresenting(services, request, presented, headerText(request, "x-gitea-otp"))
  await requireUsable(services, actor)
  return actor
}

/** The caller that credentials name, or a trusted proxy where there are none. Refuses wrong ones; whether the account may act now is asked by who calls this. */
export const callerPresenting = async (services: Services, request: FastifyRequest, presented: Presented, code?: string): Promise<Actor> =>
  (presented.kind === "none" && (await callerByProxy(services, request))) ||
  authenticatorOf(services).authenticate({ presented, code, address: clientAddress(request) })

/** The caller whom a trusted proxy names, where the site lets programs in by that. */
async function callerByProxy(services: Services, request: FastifyRequest): Promise<Actor | undefined> {
  const person = services.config.signIn.proxy.programs ? proxyPerson(services, request) : undefined
  if (!person) return undefined
  const { personOfProxy } = await import("../../features/people/sign-in/proxy.ts")
  const user = await personOfProxy(services, person)
  return user && signedInAs(user)
}

/** The caller by the Authorization header, or for reading by the session of the browser: a person who follows a link has a session and no header. */
export async function callerOf(services: Services, request: FastifyRequest): Promise<Actor> {
  const isRead = request.method === "GET" || request.method === "HEAD"
  const session = request.headers.authorization === undefined && isRead ? await sessionOf(services, request) : undefined
  if (!session) return callerByHeader(services, request)
  const actor = signedInAs(session.user)
  await requireUsable(services, actor)
  return actor
}

export const headerText = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
