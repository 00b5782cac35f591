import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Services } from "../../core/services.ts"
import { hasNul } from "../../core/text/json.ts"
import { OAuth2Error } from "../../features/people/oauth2/errors.ts"

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
type Method = (typeof METHODS)[number]

/** Says for all other methods which ones there are. */
export function onlyMethods(app: FastifyInstance, url: string, ...methods: readonly Method[]): void {
  const method = METHODS.filter((each) => !methods.includes(each))
  app.route({ method, url, ...OPEN, handler: async (_request, reply) => reply.code(405).header("allow", methods.join(", ")).send() })
}

/** Programs call these, also from pages of other sites: nothing depends on what a browser adds by itself. */
export const OPEN = { bodyLimit: 65_536, config: { fromAnySite: true } } as const

/** An answer for programs. It may hold a token, and must not be kept. */
export const sendJson = (reply: FastifyReply, body: object, status = 200): FastifyReply =>
  reply
    .code(status)
    .header("content-type", "application/json;charset=utf-8")
    .header("cache-control", "no-store")
    .header("pragma", "no-cache")
    .send(JSON.stringify(body))

/** Answers what `work` gives, or the error that it throws, as RFC 6749 writes both (5.1, 5.2). */
export async function answering({ site }: Services, reply: FastifyReply, work: () => Promise<object>): Promise<FastifyReply> {
  try {
    return sendJson(reply, await work())
  } catch (error) {
    if (!(error instanceof OAuth2Error)) throw error
    if (error.status === 401) reply.header("www-authenticate", `Basic realm="${site.rootUrl}"`)
    if (error.retryAfter !== undefined) reply.header("retry-after", String(error.retryAfter))
    return sendJson(reply, { error: error.word, error_description: error.message }, error.status)
  }
}

/**
 * Reads the fields of a form, or the members of a JSON object; never the query, which ends up in logs. Empty ones count as missing.
 * Throws `invalid_request` for a body that can't be read, and for a field that is there twice.
 */
export function readFields(request: FastifyRequest): (name: string) => string | undefined {
  const text = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : ""
  const isJson = /^application\/json\b/i.test(request.headers["content-type"] ?? "")
  const fields = isJson ? readMembers(text) : [...new URLSearchParams(text)]
  const known = new Map(fields)
  if (hasNul(fields)) throw new OAuth2Error("invalid_request", "a field has the character 0 (NUL)")
  if (known.size < fields.length) throw new OAuth2Error("invalid_request", "a field is there twice")
  return (name) => known.get(name) || undefined
}

function readMembers(text: string): readonly (readonly [string, string])[] {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === "object" && body !== null)
      return Object.entries(body).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  } catch {
    // Refused as any other text that is no object.
  }
  throw new OAuth2Error("invalid_request", "the body must be a form, or a JSON object")
}
