import type { FastifyReply, FastifyRequest } from "fastify"
import { type Refusal, refuse } from "../../core/errors.ts"
import { MEDIA_TYPE } from "../../features/code/lfs/batch.ts"
import { asRefusal, faultWords } from "../../features/code/pushes/refusals.ts"
import { logFault, requestDetails, retryAfter } from "../api/faults.ts"
import { WRONG_CREDENTIALS } from "../git-http/answer.ts"

const CHALLENGE = 'Basic realm="gitea-lfs"'

/** These answers depend on the caller, and must not be cached. */
const NO_STORE = { "cache-control": "no-store", vary: "Authorization" } as const

/** Sends a record. */
export const send = (reply: FastifyReply, record: object, status = 200): FastifyReply =>
  reply.code(status).headers(NO_STORE).type(MEDIA_TYPE).send(JSON.stringify(record))

/**
 * Sends a refusal. Any other error is an internal one, logged completely without details for the client, unless the client has aborted its request.
 */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const refusal = refusalOf(error)
  const { kind, status, message, extra } = refusal
  if (request.raw.readableAborted) request.log.warn({ err: error }, "an upload was broken off")
  else logFault(request.server.log, refusal, error, requestDetails(request, "a request for large files failed"))
  if (status === 401) reply.header("www-authenticate", CHALLENGE).header("lfs-authenticate", CHALLENGE)
  const seconds = retryAfter(refusal)
  if (seconds !== undefined) reply.header("retry-after", seconds)
  const words = kind === "badCredentials" ? WRONG_CREDENTIALS : message
  return send(reply, { ...extra, message: words || faultWords(request.id), request_id: request.id }, status)
}

/** The refusal for an error; Fastify's own errors by their status. */
function refusalOf(error: unknown): Refusal {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined
  if (status === 413) return refuse.tooLarge()
  if (typeof status === "number" && status >= 400 && status < 500) return refuse.badRequest()
  return asRefusal(error)
}
