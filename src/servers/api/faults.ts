import type { FastifyRequest } from "fastify"
import { messageOf } from "../../core/database/failures.ts"
import type { Refusal, RefusalKind } from "../../core/errors.ts"

/** Seconds after which a refused call may succeed, for `Retry-After`. */
const SECONDS: Readonly<Partial<Record<RefusalKind, number>>> = { busy: 1, tooMany: 1, unavailable: 5 }

/** The value of `Retry-After` for a refusal; undefined where trying again does not help. */
export const retryAfter = ({ kind, retryAfter: known }: Refusal): number | undefined => known ?? SECONDS[kind]

/** A database that is gone or a full disk fails every call: a line is written once in this time. */
const LINE_EVERY_MS = 10_000

/** The part of a log that is used here. */
interface Lines {
  error(details: object, message: string): void
}

interface FaultDetails {
  /** The line's message for an unexpected error. */
  readonly message: string
  readonly [detail: string]: unknown
}

const lastLines = new WeakMap<object, ReadonlyMap<RefusalKind, number>>()

/**
 * Writes down an error that is not the caller's: completely when it is unexpected or a repository is damaged, and at most one line in ten seconds for a state of the machine
 * that fails every call (`unavailable`, `uncertain`, `full`). `log` is the server's own: that limit is kept for each.
 */
export function logFault(log: Lines, { kind }: Refusal, error: unknown, { message, ...details }: FaultDetails): void {
  if (kind === "internal" || kind === "damaged") log.error({ ...details, err: error }, message)
  if (kind !== "unavailable" && kind !== "uncertain" && kind !== "full") return
  const last = lastLines.get(log)
  const now = performance.now()
  if (now - (last?.get(kind) ?? Number.NEGATIVE_INFINITY) < LINE_EVERY_MS) return
  lastLines.set(log, new Map(last).set(kind, now))
  log.error({ ...details, reason: messageOf(error) }, `calls are refused as ${kind}`)
}

/** The details of {@link logFault} for a request. */
export const requestDetails = (request: FastifyRequest, message: string) => ({
  message,
  reqId: request.id,
  // Without the query, which may have a credential.
  path: request.url.split("?", 1)[0],
})
