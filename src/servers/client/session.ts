import type { FastifyReply, FastifyRequest } from "fastify"
import type { SessionText } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { findSessionOf, type Session, sessionSeconds } from "../../features/people/sign-in/sessions/sessions.ts"
import { cookiesNamed, secretName, sendCookie } from "./cookies.ts"

/** The cookie of a session. */

const nameOf = (services: Services): string => secretName(services, "hearth_session")

/** The text in the request's cookie, not yet verified. */
export function sessionText(services: Services, request: FastifyRequest): string | undefined {
  // Two cookies of the name: one of them is not ours, and which can't be known.
  const [text, ...more] = cookiesNamed(request, nameOf(services))
  return more.length === 0 && text !== undefined && /^[\w-]{43}$/.test(text) ? text : undefined
}

/** Requests whose session lasts longer since just now: the answer tells the browser. */
const renewed = new WeakMap<FastifyRequest, SessionText>()

/** The session of the browser that sent the request; undefined where no one is signed in. */
export async function sessionOf(services: Services, request: FastifyRequest): Promise<Session | undefined> {
  const text = sessionText(services, request)
  const session = text === undefined ? undefined : await findSessionOf(services, text)
  if (text !== undefined && session?.isRenewed) renewed.set(request, { text, isRemembered: session.isRemembered })
  return session
}

/** Before an answer is sent: lets the browser keep a renewed session for as long as it lasts. */
export function sendRenewed(services: Services, request: FastifyRequest, reply: FastifyReply): void {
  const cookie = renewed.get(request)
  const start = `${nameOf(services)}=`
  const isSet = [reply.getHeader("set-cookie") ?? []].flat().some((each) => String(each).startsWith(start))
  if (cookie && !isSet) setSession(services, reply, cookie)
}

/** Gives the browser a session's text to keep, or makes it forget what it has. */
export function setSession(services: Services, reply: FastifyReply, cookie: SessionText | "ended"): FastifyReply {
  // Without an age, a browser forgets it when it is closed.
  const seconds = cookie === "ended" ? 0 : cookie.isRemembered ? sessionSeconds(services, true) : undefined
  return sendCookie(reply, nameOf(services), cookie === "ended" ? "" : cookie.text, seconds)
}
