import type { FastifyReply, FastifyRequest } from "fastify"
import { Refusal } from "../../core/errors.ts"
import { isGitError } from "../../git/index.ts"

/** Answers to git say the same thing twice: a status for the program, and a line of text that it shows to the person. */

/** What git is told is true for this moment only. */
export const NO_CACHE = {
  "cache-control": "no-cache, max-age=0, must-revalidate",
  pragma: "no-cache",
  expires: "Fri, 01 Jan 1980 00:00:00 GMT",
} as const

/** Git's credential helpers recognise a server of this kind by the realm. */
const CHALLENGE = 'Basic realm="Gitea"'

const WRONG_CREDENTIALS =
  "Failed to authenticate user. Accounts with two-factor authentication sign in to git with an access token in place of the password."

/** Sends a refusal as text. What is no refusal is a fault of ours: logged whole, told as nothing. */
export function sendRefusal(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const refusal = asRefusal(error)
  if (refusal.kind === "internal") request.log.error({ err: error }, "a git request failed")
  if (refusal.status === 401) reply.header("www-authenticate", CHALLENGE)
  if (refusal.status === 503) reply.header("retry-after", "5")
  const words = refusal.kind === "badCredentials" ? WRONG_CREDENTIALS : refusal.message
  return reply
    .code(refusal.status)
    .headers(NO_CACHE)
    .type("text/plain; charset=utf-8")
    .send(`${words || "The server failed; its operator finds more in the log."}\n`)
}

/** The refusal that stands for an error; `internal` for what is none. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isGitError(error, "busy")) return new Refusal("busy", "Too many fetches and pushes are under way; try again in a moment.")
  if (isGitError(error, "protocol")) return new Refusal("badRequest", error.message)
  if (isGitError(error, "tooLarge")) return new Refusal("tooLarge", error.message)
  if (error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_"))
    return new Refusal("badRequest", "the body is not what gzip makes")
  return new Refusal("internal", "")
}
