import type { FastifyReply, FastifyRequest } from "fastify"
import type { Services } from "../../core/services.ts"
import { findSessionOf, type Session, sessionSeconds } from "../../features/people/sessions/sessions.ts"
import { cookiesNamed } from "../client/cookies.ts"

/** The cookie of a session. Under https its name makes browsers refuse one that another host or an unprotected page sets. */

const isSecure = ({ site }: Services): boolean => site.rootUrl.startsWith("https:")
const nameOf = (services: Services): string => (isSecure(services) ? "__Host-hearth_session" : "hearth_session")

/** The text in the request's cookie, not yet verified. */
export function sessionText(services: Services, request: FastifyRequest): string | undefined {
  // Two cookies of the name: one of them is not ours, and which can't be known.
  const [text, ...more] = cookiesNamed(request, nameOf(services))
  return more.length === 0 && text !== undefined && /^[\w-]{43}$/.test(text) ? text : undefined
}

/** Requests whose session lasts longer since just now: the answer tells the browser. */
const renewed = new WeakMap<FastifyRequest, NewCookie>()

interface NewCookie {
  readonly text: string
  readonly isRemembered: boolean
}

/** The session of the browser that sent the request; undefined where nobody is signed in. */
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
export function setSession(services: Services, reply: FastifyReply, cookie: NewCookie | undefined): FastifyReply {
  // Without an age, a browser forgets it when it is closed.
  const age = cookie === undefined ? "Max-Age=0; " : cookie.isRemembered ? `Max-Age=${sessionSeconds(services, true)}; ` : ""
  return reply.header("set-cookie", `${nameOf(services)}=${cookie?.text ?? ""}; Path=/; ${age}${attributes(services)}`)
}

const attributes = (services: Services): string => `HttpOnly; SameSite=Lax${isSecure(services) ? "; Secure" : ""}`

const STEP_SECONDS = 1_800
const stepNameOf = (services: Services): string => (isSecure(services) ? "__Host-hearth_sign_in" : "hearth_sign_in")

/** What the browser keeps while the person is at another provider, so that nobody else's answer is taken for theirs. */
export const stepTicket = (services: Services, request: FastifyRequest): string => cookiesNamed(request, stepNameOf(services))[0] ?? ""

/** Lets the browser keep a ticket; "" makes it forget it. */
export const setStepTicket = (services: Services, reply: FastifyReply, ticket: string): FastifyReply =>
  reply.header(
    "set-cookie",
    `${stepNameOf(services)}=${ticket}; Path=/; Max-Age=${ticket === "" ? 0 : STEP_SECONDS}; ${attributes(services)}`,
  )

export const LOGIN_PATH = "/user/login"
export const LOGOUT_PATH = "/user/logout"

/** The sign-in page, from which the person comes back to `path`. */
export const loginFor = (path: string): string => `${LOGIN_PATH}?redirect_to=${encodeURIComponent(path)}`

export const queryOf = (request: FastifyRequest): URLSearchParams => {
  const mark = request.url.indexOf("?")
  return new URLSearchParams(mark < 0 ? "" : request.url.slice(mark + 1))
}
