import { setTimeout as pause } from "node:timers/promises"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Refusal } from "../../core/errors.ts"

/** The fields of these forms are small; larger bodies are not kept in memory. */
export const FORM = { bodyLimit: 65_536 } as const

/** Reads the fields of a submitted form; a missing one is empty. */
export function formOf(request: FastifyRequest): (name: string) => string {
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "")
  return (name) => fields.get(name) ?? ""
}

/** The code in the link; empty where there is none. */
export const codeOf = (request: FastifyRequest): string => new URLSearchParams(request.url.split("?")[1]).get("code") ?? ""

const MIN_RESPONSE_MS = 400

/** Waits for the work, and always for the same minimal time, so that the response time doesn't reveal whether there was work to do. */
export async function inConstantTime(work: Promise<void>): Promise<void> {
  await Promise.all([work, pause(MIN_RESPONSE_MS)])
}

/** Tells programs for how long a refusal holds, where that is known; the page says it in words. */
export const withRetryAfter = (reply: FastifyReply, { retryAfter }: Refusal): FastifyReply =>
  retryAfter === undefined ? reply : reply.header("retry-after", String(retryAfter))
