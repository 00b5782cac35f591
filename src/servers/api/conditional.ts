import { hash } from "node:crypto"
import type { FastifyRequest } from "fastify"
import { type Actor, actorId } from "../../core/actor.ts"
import { ActsOutside, TransactionIdle } from "../../core/database/database.ts"
import { Refusal, refuse } from "../../core/errors.ts"
import { servicesInside } from "../../core/held/services.ts"
import { t } from "../../core/language/message.ts"
import type { Operation, Request, Sent } from "../../core/operation.ts"
import type { Services } from "../../core/services.ts"
import { mediaTypeOf } from "../../core/text/media-type.ts"
import { afterOthers, isKeyKnown, onceByKey, underLock } from "../../features/site/repeats/repeats.ts"
import { admitToOperation } from "../routing/admission.ts"
import type { Caller } from "../routing/pipeline.ts"
import { render } from "./answer.ts"
import { readerOf } from "./call.ts"
import { inputOf } from "./steps.ts"

/* Writes that a client sends with a condition: once by an Idempotency-Key, or only while something is as it was, by If-Match. */

/** What a request asks for by its headers. */
export interface Conditions {
  readonly key: string | undefined
  readonly ifMatch: string | undefined
}

interface Write {
  readonly operation: Operation
  readonly caller: Caller
  readonly path: Request["path"]
  readonly request: Pick<FastifyRequest, "id" | "url" | "method" | "headers" | "body">
  readonly ip: string
  /** Whether the body is a stream, which can be read once. */
  readonly isStreamed: boolean
}

/** Runs a write under its conditions. `run` authorises the caller and does it, with the services that it is given. */
export async function runUnder(
  services: Services,
  { key, ifMatch }: Conditions,
  {
    operations,
    write,
    run,
  }: {
    readonly operations: readonly Operation[]
    readonly write: Write
    readonly run: (services: Services) => Promise<Sent<number, unknown>>
  },
): Promise<Sent<number, unknown>> {
  const reads = ifMatch === undefined ? undefined : readingOf(operations, write.operation)
  const tags = ifMatch === undefined ? undefined : tagsIn(ifMatch)
  const judged = async (within: Services, reads: Operation, tags: "any" | readonly string[]): Promise<Sent<number, unknown>> => {
    const before = await tagOf(within, reads, write)
    if (before === undefined || !(tags === "any" || tags.includes(before)))
      throw refuse.preconditionFailed("[If-Match]: this was changed since you read it; read it again")
    const sent = await run(within)
    const after = write.operation.method === "DELETE" ? undefined : await tagOf(within, reads, write)
    return after === undefined ? sent : { ...sent, headers: { ...sent.headers, ETag: after } }
  }
  const done = (within: Services): Promise<Sent<number, unknown>> => {
    if (!reads || !tags) return run(within)
    const work = () => judged(within, reads, tags)
    // Beside a transaction, only other conditional edits of the same are kept from coming in between.
    return within === services ? underLock(services, { userId: actorId(write.caller.actor), name: lockOf(write) }, work) : work()
  }
  const whole = async (): Promise<Sent<number, unknown>> => {
    if (key !== undefined) {
      const { who, userId } = whoseKey(write.caller)
      const steady = reads !== undefined
      return onceByKey(services, { who, userId, key: keyIn(key), request: digestOf(write), canHold: !write.isStreamed, steady }, done)
    }
    if (write.isStreamed) return done(services)
    try {
      return await services.database.hold((tx) => done(servicesInside(services, tx)), { steady: true })
    } catch (error) {
      if (error instanceof ActsOutside || error instanceof TransactionIdle) return done(services)
      throw error
    }
  }
  return reads ? afterOthers(services, lockOf(write), whole) : whole()
}

// --- If-Match ----------------------------------------------------------------------------------------------------------------------

/** What a write edits, as a name. */
const lockOf = ({ operation, path }: Write): string => `${operation.path} ${JSON.stringify(path)}`

/** The longest header that is read. */
const LONGEST_TAGS = 4_096

/** The tags of an If-Match header. A weak one is left out: it never matches (RFC 9110, 13.1.1). */
export function tagsIn(header: string): "any" | readonly string[] {
  if (header.trim() === "*") return "any"
  const tags = header.length > LONGEST_TAGS ? [] : header.split(",").map((tag) => tag.trim())
  if (tags.length === 0 || !tags.every((tag) => /^(W\/)?"[^"]*"$/.test(tag)))
    throw refuse.invalid("If-Match", 'must be * or entity tags as a GET gives them: "…", separated by commas')
  return tags.filter((tag) => !tag.startsWith("W/"))
}

function readingOf(operations: readonly Operation[], operation: Operation): Operation {
  const reads = readerOf(operations, operation)
  if (!reads) throw refuse.invalid("If-Match", "has nothing to be compared with: this address has no GET that reads what is changed")
  return reads
}

/** The tag that a GET gives now; undefined where there is nothing. */
async function tagOf(services: Services, reads: Operation, { caller: { actor }, path, request, ip }: Write): Promise<string | undefined> {
  admitToOperation(services, reads, actor)
  try {
    const opened = await reads.open({ services, db: services.database.read, actor, path })
    const input = inputOf(services, reads, new URLSearchParams())
    const sent = await opened.run({ ...input, body: undefined, request: { id: request.id, ip } })
    return render(services, "GET", request.url, sent, reads.paged ? input.page : undefined).tag
  } catch (error) {
    if (error instanceof Refusal && error.kind === "notFound") return undefined
    throw error
  }
}

// --- Idempotency-Key ---------------------------------------------------------------------------------------------------------------

const LONGEST_KEY = 255

/** Whether the caller has sent something with this key. */
export const isKnown = async (services: Services, caller: Caller, key: string): Promise<boolean> =>
  caller.actor.kind === "user" && isKeyKnown(services, { ...whoseKey(caller), key })

function keyIn(key: string): string {
  if (!/^[!-~]+$/.test(key) || key.length > LONGEST_KEY)
    throw refuse.invalid("Idempotency-Key", t`must have 1 to ${LONGEST_KEY} visible characters of ASCII`)
  return key
}

/** Keys are each caller's own: two tokens of one person have nothing to do with each other. */
function whoseKey({ actor, behind }: Caller): { readonly who: string; readonly userId: number } {
  if (actor.kind === "anonymous") throw refuse.invalid("Idempotency-Key", "is for callers who have signed in")
  return { who: `${actor.user.id} ${behind?.id ?? "-"} ${credentialOf(actor)}`, userId: actor.user.id }
}

function credentialOf({ credential }: Exclude<Actor, { kind: "anonymous" }>): string {
  if (credential.kind === "job") return `job ${credential.taskId}`
  if (credential.kind !== "token") return "password"
  // The tokens of an application replace each other every hour.
  return credential.applicationId === undefined
    ? `token ${credential.tokenId}`
    : `application ${credential.applicationId} ${[...credential.scopes].sort().join(" ")}`
}

/** What was sent, and where to. Of a file that is streamed: how long it is and of which type, by the request's headers. */
function digestOf({ request: { method, url, headers, body }, isStreamed }: Write): string {
  const sent = Buffer.isBuffer(body) ? hash("sha256", body, "base64url") : ""
  return hash(
    "sha256",
    [method, url, mediaTypeOf(headers["content-type"] ?? ""), isStreamed ? (headers["content-length"] ?? "") : "", sent].join("\n"),
    "base64url",
  )
}
