import { hash } from "node:crypto"
import type { FastifyReply, FastifyRequest } from "fastify"
import { fileHeadersOf } from "../../core/disposition.ts"
import { storedDownload } from "../../core/download.ts"
import { Refusal, Renamed } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { faultWords } from "../../features/code/pushes/refusals.ts"
import { openContent } from "../../features/packages/packages/blobs.ts"
import type { Answer, Registry, Route } from "../../features/packages/packages/registry.ts"
import type { FileWithBlob } from "../../features/packages/packages/store.ts"
import { asRefusal, movedTo } from "../api/answer.ts"
import { logFault, requestDetails, retryAfter } from "../api/faults.ts"
import { matches } from "../files/conditions.ts"
import { sendDownload } from "../files/send.ts"
import { WRONG_CREDENTIALS } from "../git-http/answer.ts"
import { leadTo } from "../routing/redirect.ts"
import { scopeFor } from "./admission.ts"

/** A refusal is no page: nothing in it may run or load. */
const POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
/** Cached only by the caller's client, which must revalidate: permissions can change. */
const CACHED = { "cache-control": "private, no-cache", vary: "Authorization, Accept" } as const

/** Sends what a registry answers. */
export async function send(services: Services, request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  if ("file" in answer) return sendFile(services, request, reply, answer.file)
  if ("json" in answer) {
    reply.headers(CACHED).type(`${answer.type};charset=utf-8`).header("etag", `"${answer.tag}"`)
    return matches(request.headers["if-none-match"], `"${answer.tag}"`) ? reply.code(304).send() : reply.send(answer.json)
  }
  const { status, record, type = "application/json" } = answer
  if (record === undefined) return reply.code(status).send()
  const body = JSON.stringify(record)
  reply.headers(CACHED).type(`${type};charset=utf-8`)
  if (status === 200 && (request.method === "GET" || request.method === "HEAD")) {
    const tag = `"${hash("sha256", body, "base64url")}"`
    reply.header("etag", tag)
    if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send()
  }
  return reply.code(status).send(body)
}

async function sendFile(services: Services, request: FastifyRequest, reply: FastifyReply, found: FileWithBlob): Promise<FastifyReply> {
  const { size, sha256, created_at } = found
  reply.headers(CACHED).header("last-modified", new Date(created_at * 1000).toUTCString())
  const file = storedDownload({
    tag: `"${sha256}"`,
    size,
    type: "application/octet-stream",
    disposition: fileHeadersOf(found.name).disposition.replace(/^\w+/, "attachment"),
    isDirect: true,
    open: async () => {
      const handle = await openContent(services, found.file)
      if (!handle) throw new Refusal("internal", `the content of the package file ${found.id} is gone`)
      return handle
    },
  })
  return sendDownload(request, reply, file)
}

/** Sends a refusal in the registry's form, and says which credentials would do. Any other error is an internal one, logged without details for the client. */
export function sendRefusal(
  services: Services,
  { registry, route }: { readonly registry: Registry; readonly route: Route },
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  if (error instanceof Renamed) return leadTo(reply, movedTo(request, error), error.status)
  const refusal = asRefusal(error)
  const { kind, status, message, extra } = refusal
  if (request.raw.readableAborted) request.log.warn({ err: error }, "an upload was broken off")
  else logFault(services.log, refusal, error, requestDetails(request, "a request to a registry failed"))
  const seconds = retryAfter(refusal)
  if (seconds !== undefined) reply.header("retry-after", seconds)
  const scope = scopeFor(route.needs)
  if (status === 401)
    reply.header("www-authenticate", [`Bearer realm="packages", scope="${scope}"`, `Basic realm="packages", charset="UTF-8"`])
  if (typeof extra?.["scope"] === "string")
    reply.header("www-authenticate", `Bearer realm="packages", error="insufficient_scope", scope="${scope}"`)
  const words = kind === "badCredentials" ? WRONG_CREDENTIALS : message || faultWords(request.id)
  const described = registry.describeRefusal({ status, message: words })
  reply.code(status).headers({ "cache-control": "no-store", "content-security-policy": POLICY })
  return described ? reply.type(described.type).send(described.body) : reply.send()
}
