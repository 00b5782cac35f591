import { hash } from "node:crypto"
import type { FastifyReply, FastifyRequest } from "fastify"
import { faultOf } from "../../core/database/faults.ts"
import { Refusal, Renamed } from "../../core/errors.ts"
import { ENGLISH, type Language } from "../../core/language/language.ts"
import type { Page, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { faultWords } from "../../features/code/pushes/refusals.ts"
import { isDamage, isGitError } from "../../git/index.ts"
import { matches } from "../files/conditions.ts"
import { leadTo, ownLocation } from "../routing/redirect.ts"
import { declaredRoute, patternOf } from "../routing/routes.ts"
import { logFault, requestDetails, retryAfter } from "./faults.ts"
import { jsonBytes } from "./json.ts"
import { isMissingEmpty } from "./missing.ts"
import { linkHeader } from "./paging.ts"

const JSON_TYPE = "application/json;charset=utf-8"
const TEXT_TYPE = "text/plain;charset=utf-8"

/** An answer ready to be sent. */
export interface Rendered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  readonly type: string
  /** The entity tag, where the answer has one. */
  readonly tag: string | undefined
}

/** Turns what a handler gave into an answer: body, entity tag, paging headers. `url` is the request's own address with its query. */
export function render(services: Services, method: string, url: string, sent: Sent<number, unknown>, page: Page | undefined): Rendered {
  const { "content-type": textType = TEXT_TYPE, ...given } = sent.headers ?? {}
  const headers: Record<string, string> = { ...given }
  if (given["location"] !== undefined) headers["location"] = ownLocation(services.site, given["location"])
  if (sent.total !== undefined) {
    headers["x-total-count"] = String(sent.total)
    const [path = "", query = ""] = url.split("?", 2)
    const links = page && linkHeader(services.site.rootUrl + path, new URLSearchParams(query), page, sent.total)
    if (links) headers["link"] = links
    headers["access-control-expose-headers"] = [...(links ? ["Link"] : []), "X-Total-Count", ...Object.keys(sent.headers ?? {})].join(", ")
  }
  const { status } = sent
  if (sent.body === undefined) return { status, headers, body: undefined, type: JSON_TYPE, tag: undefined }
  // A text that is not a record is sent as it is, as plain text unless the operation names another type.
  const [body, type] = typeof sent.body === "string" ? [Buffer.from(sent.body), textType] : [jsonBytes(sent.body), JSON_TYPE]
  if (status !== 200 || (method !== "GET" && method !== "HEAD")) return { status, headers, body, type, tag: undefined }
  // A list's length is part of its tag: a page may stay the same while the total changes.
  const digest = hash("sha1", body, "base64url")
  const tag = sent.total === undefined ? `"${digest}"` : `"${digest}-${sent.total}"`
  headers["etag"] = tag
  return { status, headers, body, type, tag }
}

/** Sends an answer, or 304 where the client has it already. */
export function sendRendered(request: FastifyRequest, reply: FastifyReply, { status, headers, body, type, tag }: Rendered): FastifyReply {
  reply.headers(headers)
  if (body === undefined) return reply.code(status).send()
  if (tag !== undefined && matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  return reply.code(status).header("content-type", type).send(body)
}

/** The one place where refusals become answers; in English, except for scripts of pages. Any other error is an internal one: logged completely, without details for the client. */
export function sendRefusal(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  language = ENGLISH,
): FastifyReply {
  if (error instanceof Renamed) return leadTo(reply, movedTo(request, error), error.status)
  // The client is gone, and with it the only reader of the answer.
  if (isGitError(error, "aborted")) return reply.code(503).send()
  const refusal = asRefusal(error)
  logFault(services.log, refusal, error, requestDetails(request, "a request failed"))
  reply.code(refusal.status)
  const body = refusalBody(services, refusal, { requestId: request.id, operation: declaredRoute(request)?.operation, language })
  if (body === undefined) return reply.send()
  const seconds = retryAfter(refusal)
  if (seconds !== undefined) reply.header("retry-after", seconds)
  return reply.header("content-type", JSON_TYPE).send(JSON.stringify(body))
}

/** The record that tells a client of a refusal; undefined where it is told by the status alone. */
export function refusalBody(
  { config, site }: Pick<Services, "config" | "site">,
  refusal: Refusal,
  {
    requestId,
    operation,
    language = ENGLISH,
  }: { readonly requestId: string; readonly operation: string | undefined; readonly language?: Language },
): object | undefined {
  const isMissing = refusal.kind === "notFound"
  if (isMissing && !refusal.extra && isMissingEmpty(config.api.notFoundBody, operation)) return undefined
  // By the id an administrator finds the line in the log.
  const found = { request_id: requestId }
  const fault =
    refusal.kind === "internal"
      ? { ...found, message: faultWords(requestId) }
      : refusal.kind === "damaged" && { ...found, message: `${refusal.said.in(language)}: ${requestId}` }
  return {
    ...(isMissing && { errors: [] }),
    ...refusal.extra,
    message: refusal.said.in(language),
    ...fault,
    url: `${site.rootUrl}/api/swagger`,
  }
}

export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isGitError(error, "full")) return new Refusal("full")
  if (isGitError(error, "busy")) return new Refusal("busy", "the server is busy with other repositories; try again in a moment")
  if (isDamage(error)) return new Refusal("damaged")
  const fault = faultOf(error)
  if (fault) return fault
  // Fastify's own errors, by their status.
  const status = typeof error === "object" && error !== null && "statusCode" in error ? error.statusCode : undefined
  if (status === 413) return new Refusal("tooLarge", "the request body is too large")
  if (status === 408) return new Refusal("timeout", "the request took too long to arrive")
  if (typeof status === "number" && status >= 400 && status < 500)
    return new Refusal("badRequest", error instanceof Error ? error.message : "bad request")
  return new Refusal("internal", "")
}

/** The request's own address with the former names replaced. */
export const movedTo = (request: FastifyRequest, moved: Renamed): string => movedPath(request.url, patternOf(request) ?? "", moved)

/** An address with the former names in it replaced; `route` is the pattern that it fits. */
export function movedPath(url: string, route: string, { replace }: Renamed): string {
  const [path = "", query] = url.split("?", 2)
  const pattern = route.split("/")
  const target = path
    .split("/")
    .map((part, index) => {
      // A name, with what ends it: `{username}.png`, or `:username` in routes that are not declared.
      const [, name = "", ending = ""] = /^(?::|\{)(\w+)\}?(\.\w+)?$/.exec(pattern[index] ?? "") ?? []
      const replacement = replace[name]
      return replacement === undefined ? part : encodeURIComponent(replacement) + ending
    })
    .join("/")
  return query === undefined ? target : `${target}?${query}`
}
