import { hash } from "node:crypto"
import type { FastifyReply, FastifyRequest } from "fastify"
import { Moved, Refusal } from "../../core/errors.ts"
import type { Page, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { isGitError } from "../../git/index.ts"
import { linkHeader } from "./paging.ts"

const JSON_TYPE = "application/json;charset=utf-8"

/** Sends what a handler gave: body, entity tag, paging headers. */
export function sendAnswer(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Sent<number, unknown>,
  page: Page | undefined,
): FastifyReply {
  reply.code(sent.status)
  if (sent.headers) reply.headers(sent.headers)
  if (sent.total !== undefined) {
    reply.header("x-total-count", String(sent.total))
    const [path = "", query = ""] = request.url.split("?", 2)
    const links = page && linkHeader(services.site.rootUrl + path, new URLSearchParams(query), page, sent.total)
    if (links) reply.header("link", links)
    reply.header("access-control-expose-headers", links ? "Link, X-Total-Count" : "X-Total-Count")
  }
  if (sent.body === undefined) return reply.send()
  const body = JSON.stringify(sent.body)
  reply.header("content-type", JSON_TYPE)
  if (sent.status === 200 && (request.method === "GET" || request.method === "HEAD")) {
    // A list's length is part of what is remembered: a page may stay the same while the total moves.
    const tag = `"${hash("sha1", sent.total === undefined ? body : `${sent.total}:${body}`, "base64url")}"`
    reply.header("etag", tag)
    if (matches(request.headers["if-none-match"], tag)) return reply.code(304).removeHeader("content-type").send()
  }
  return reply.send(body)
}

/** Whether an If-None-Match header names the tag; weak comparison, as for all conditional GETs. */
export function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(",").some((given) => {
    const value = given.trim()
    return value === "*" || value === tag || value === `W/${tag}`
  })
}

/** The one place where refusals become answers. Anything that is no refusal is a fault of ours: logged whole, told as nothing. */
export function sendRefusal(services: Services, request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (error instanceof Moved) return reply.code(error.status).header("location", movedTo(request, error)).send()
  const refusal = asRefusal(error)
  if (refusal.kind === "internal") request.log.error({ err: error }, "a request failed")
  reply.code(refusal.status)
  if (refusal.kind === "notFound" && services.config.api.notFoundBody === "none") return reply.send()
  if (refusal.kind === "busy" || refusal.kind === "tooMany") reply.header("retry-after", "1")
  return reply
    .header("content-type", JSON_TYPE)
    .send(JSON.stringify({ ...refusal.extra, message: refusal.message, url: `${services.site.rootUrl}/api/swagger` }))
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isGitError(error, "busy")) return new Refusal("busy", "the server is busy with other repositories; try again in a moment")
  // What Fastify itself refuses, by the status that it gives.
  const status = typeof error === "object" && error !== null && "statusCode" in error ? error.statusCode : undefined
  if (status === 413) return new Refusal("tooLarge", "the request body is too large")
  if (status === 408) return new Refusal("timeout", "the request took too long to arrive")
  if (typeof status === "number" && status >= 400 && status < 500)
    return new Refusal("badRequest", error instanceof Error ? error.message : "bad request")
  return new Refusal("internal", "")
}

/** The request's own address with the names replaced that have changed. */
function movedTo(request: FastifyRequest, moved: Moved): string {
  const [path = "", query] = request.url.split("?", 2)
  const pattern = (request.routeOptions.url ?? "").split("/")
  const target = path
    .split("/")
    .map((part, index) => {
      const name = pattern[index]?.startsWith(":") ? pattern[index].slice(1) : undefined
      const replacement = name === undefined ? undefined : moved.replace[name]
      return replacement === undefined ? part : encodeURIComponent(replacement)
    })
    .join("/")
  return query === undefined ? target : `${target}?${query}`
}
