import type { FastifyReply, FastifyRequest } from "fastify"
import type { Actor } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import { isMissing, NOT_FOUND } from "../../features/code/pushes/admission.ts"
import { asRefusal, faultWords } from "../../features/code/pushes/refusals.ts"
import { logFault, requestDetails, retryAfter } from "../api/faults.ts"

/** Answers to git carry a status for the program, and a line of text that it shows to the user. */

/** Answers to git must not be cached. */
export const NO_CACHE = {
  "cache-control": "no-cache, max-age=0, must-revalidate",
  pragma: "no-cache",
  expires: "Fri, 01 Jan 1980 00:00:00 GMT",
} as const

/** Git's credential helpers recognise a server of this kind by the realm. */
const CHALLENGE = 'Basic realm="Gitea"'

/** Anonymous callers are asked to sign in before they get a "not found": a private repository looks just like a missing one. */
export function hiddenFrom(actor: Actor, error: unknown): unknown {
  if (!isMissing(error)) return error
  return actor.kind === "anonymous" ? refuse.unauthenticated("Unauthorized") : refuse.notFound(NOT_FOUND)
}

export const WRONG_CREDENTIALS =
  "Failed to authenticate user. Accounts with two-factor authentication sign in to git with an access token in place of the password."

/** Sends a refusal as text. Any other error is an internal one: logged completely, without details for the client. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const refusal = asRefusal(isGzipError(error) ? refuse.badRequest("the body is not what gzip makes") : error)
  logFault(request.server.log, refusal, error, requestDetails(request, "a git request failed"))
  if (refusal.status === 401) reply.header("www-authenticate", CHALLENGE)
  const seconds = retryAfter(refusal)
  if (seconds !== undefined) reply.header("retry-after", seconds)
  const words = refusal.kind === "badCredentials" ? WRONG_CREDENTIALS : refusal.message
  return reply
    .code(refusal.status)
    .headers(NO_CACHE)
    .type("text/plain; charset=utf-8")
    .send(`${words || faultWords(request.id)}\n`)
}

const isGzipError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_")
