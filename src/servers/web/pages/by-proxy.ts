import type { FastifyRequest } from "fastify"
import type { Services } from "../../../core/services.ts"
import { clientAddress } from "../../client/address.ts"
import { proxyPerson } from "../../client/proxy-person.ts"
import { sessionOf, sessionText } from "../../client/session.ts"
import type { Entered } from "./in-place.ts"

/**
 * Begins a session of who a trusted proxy names, when a page is asked for by someone else or no one. Never with a form: what is sent needs the session that
 * the form was shown to.
 */
export async function enterByProxy(services: Services, request: FastifyRequest): Promise<Entered | undefined> {
  const person = request.method === "GET" ? proxyPerson(services, request) : undefined
  if (!person) return undefined
  const here = await sessionOf(services, request)
  if (here?.user.name.toLowerCase() === person.name.toLowerCase()) return undefined
  const [{ personOfProxy }, { beginSession, endSession, findSessionOf }] = await Promise.all([
    import("../../../features/people/sign-in/proxy.ts"),
    import("../../../features/people/sign-in/sessions/sessions.ts"),
  ])
  const user = await personOfProxy(services, person)
  const earlier = sessionText(services, request)
  if (!user || user.must_change_password === 1) {
    // The session of someone else is not theirs.
    if (here && earlier !== undefined) await endSession(services, earlier)
    return undefined
  }
  const text = await beginSession(services, {
    user,
    method: "provider",
    isRemembered: false,
    address: clientAddress(request),
    agent: request.headers["user-agent"],
    earlier,
  })
  const session = await findSessionOf(services, text)
  return session && { kind: "entered", session, cookie: { text, isRemembered: false } }
}
