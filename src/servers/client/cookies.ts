import type { FastifyReply, FastifyRequest } from "fastify"
import type { Kept, Moved } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"

/** The values of the request's cookies of that name, as they were sent. */
export function cookiesNamed({ headers }: FastifyRequest, name: string): readonly string[] {
  const start = `${name}=`
  return (headers.cookie ?? "")
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each.startsWith(start))
    .map((each) => each.slice(start.length))
}

export function cookieOf(request: FastifyRequest, name: string, longest: number): string | undefined {
  const [text] = cookiesNamed(request, name)
  if (text === undefined) return undefined
  try {
    return decodeURIComponent(text).slice(0, longest)
  } catch {
    return undefined
  }
}

const isSecure = ({ site }: Services): boolean => site.rootUrl.startsWith("https:")

/** The name of a cookie with a secret. Under https it makes browsers refuse one that another host or an unprotected page sets. */
export const secretName = (services: Services, name: string): string => (isSecure(services) ? `__Host-${name}` : name)

/** Adds to an answer that the browser keeps a text: without `seconds` until it is closed, and with 0 no more. */
export const sendCookie = (reply: FastifyReply, name: string, text: string, seconds?: number): FastifyReply => {
  const age = seconds === undefined ? "" : `Max-Age=${seconds}; `
  const secure = name.startsWith("__Host-") ? "; Secure" : ""
  return reply.header("set-cookie", `${name}=${text}; Path=/; ${age}HttpOnly; SameSite=Lax${secure}`)
}

const YEAR = 31_536_000

interface Kind {
  readonly of: keyof Kept
  readonly cookie: string
  /** Characters; what is longer is cut. */
  readonly longest: number
  readonly seconds: number
  readonly isSecret: boolean
}

/** How browsers keep it. How a reader wants pages is no secret. */
const KINDS: readonly Kind[] = [
  ...(["theme", "diffs", "dismissed", "person"] as const).map((of) => ({
    of,
    cookie: `hearth_${of}`,
    longest: 300,
    seconds: YEAR,
    isSecret: false,
  })),
  { of: "step", cookie: "hearth_sign_in", longest: 4_096, seconds: 1_800, isSecret: true },
]

const nameOf = (services: Services, { cookie, isSecret }: Kind): string => (isSecret ? secretName(services, cookie) : cookie)

/** What the browser that asks keeps, not verified. */
export const keptBy = (services: Services, request: FastifyRequest): Partial<Kept> =>
  Object.fromEntries(
    KINDS.flatMap((kind) => {
      const text = cookieOf(request, nameOf(services, kind), kind.longest)
      return text === undefined ? [] : [[kind.of, text]]
    }),
  )

/** Has the browser keep from now on what an answer says. */
export function keep(services: Services, reply: FastifyReply, { keeps = {} }: Pick<Moved, "keeps">): FastifyReply {
  for (const kind of KINDS) {
    const text = keeps[kind.of]
    if (kind.of in keeps) sendCookie(reply, nameOf(services, kind), text ?? "", text === undefined ? 0 : kind.seconds)
  }
  return reply
}
