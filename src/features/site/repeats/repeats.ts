import { hash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { ActsOutside, TransactionIdle } from "../../../core/database/database.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { servicesInside } from "../../../core/held/services.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Sent } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { KEPT_SECONDS } from "./jobs.ts"
import { claimKey, countKept, findKept, keepAnswer, releaseKey } from "./store.ts"

/*
 * Writes that may be sent again. A client that has lost an answer sends the same with the same key, and is answered as it was the first time.
 *
 * Where all that an operation does is in the database, its answer is stored in the same transaction: a process that dies leaves both or neither. An operation
 * that changes a repository or a file, or asks another server, can't be undone: its key is stored before it begins, and its answer after it. If
 * the process dies in between, nobody knows how far it came, and who sends it again is told so.
 */

export interface Repeatable {
  readonly userId: number
  /** Who sends it: the account, and with which credential. */
  readonly who: string
  readonly key: string
  /** The digest of what was sent, and where to. */
  readonly request: string
  /** It can be tried in a transaction first, since what was sent can be read again. */
  readonly canHold: boolean
  /** Holds the transaction so that what it reads stays true. */
  readonly steady: boolean
}

type Answer = Sent<number, unknown>

/** The header of an answer that was given before. */
const REPLAYED = { "Idempotent-Replayed": "true" }

/** For how long a request waits for another one with its key, and how often it looks where that is in another process. */
const WAIT_MS = 10_000
const LOOK_MS = 100
/** Requests of one process that may wait so. */
const MOST_WAITING = 200
/** Answers kept for one person, and their bytes; a longer one is not kept. */
const MOST_KEPT = 10_000
const MOST_BYTES = 64 * 1024 * 1024
const LONGEST = 1024 * 1024

interface Turns {
  readonly running: Map<string, Promise<unknown>>
  waiting: number
}

const turnsOf = onFirstUseOf((_services: Services): Turns => ({ running: new Map(), waiting: 0 }))

/** Another request has the key, in another process: it has to be looked for. */
class Taken extends Error {}

/**
 * Runs a write, or gives the answer that it had. `run` gets the services to do it with. Only what was done is kept: what was refused can be sent again. Refuses `invalid` the key of something
 * else, `conflict` where the first request has no answer yet, `tooMany` beyond what is kept for one person.
 */
export async function onceByKey(services: Services, given: Repeatable, run: (services: Services) => Promise<Answer>): Promise<Answer> {
  const digest = digestOf(given)
  const until = performance.now() + WAIT_MS
  return inTurn(
    turnsOf(services),
    digest,
    until,
    async () => {
      for (;;) {
        const known = await answerBefore(services, digest, given.request, until)
        if (known) return known
        try {
          return await runFirst(services, digest, given, run)
        } catch (error) {
          if (!(error instanceof Taken)) throw error
        }
      }
    },
    unanswered,
  )
}

const digestOf = ({ who, key }: Pick<Repeatable, "who" | "key">): string => hash("sha256", `${who}\n${key}`, "base64url")

/** Whether something was sent with this key. */
export const isKeyKnown = async ({ database, now }: Services, given: Pick<Repeatable, "who" | "key">): Promise<boolean> =>
  (await findKept.first(database.read, { digest: digestOf(given), after: now() - KEPT_SECONDS })) !== undefined

/** One after another, of those with the same key in this process. */
async function inTurn<R>(turns: Turns, digest: string, until: number, work: () => Promise<R>, late = tooLate): Promise<R> {
  const { running } = turns
  if (running.has(digest) && turns.waiting >= MOST_WAITING) throw refuse.busy()
  turns.waiting += 1
  try {
    for (let before = running.get(digest); before; before = running.get(digest)) {
      const rest = new AbortController()
      await Promise.race([before.catch(() => {}), sleep(Math.max(0, until - performance.now()), undefined, rest).catch(() => {})])
      rest.abort()
      if (performance.now() >= until) throw late()
    }
  } finally {
    turns.waiting -= 1
  }
  const done = work()
  running.set(digest, done)
  try {
    return await done
  } finally {
    running.delete(digest)
  }
}

const tooLate = (): Refusal => new Refusal("conflict", "someone else is changing this; try again in a moment", undefined, undefined, 1)

const unanswered = (): Refusal =>
  new Refusal(
    "conflict",
    "[Idempotency-Key]: a request with this key was begun and has no answer. It is still being worked on, or the server was stopped meanwhile: look whether it has come about before you send it with another key",
    "Idempotency-Key",
    undefined,
    1,
  )

/** The answer of the first request, waited for where another process works on it; undefined where there is none. */
async function answerBefore(services: Services, digest: string, request: string, until: number): Promise<Answer | undefined> {
  const { database, secrets, now } = services
  for (;;) {
    const row = await findKept.first(database.read, { digest, after: now() - KEPT_SECONDS })
    if (!row) return undefined
    if (row.request !== request)
      throw refuse.invalid("Idempotency-Key", "was sent with another request before; a new request needs a new key")
    if (row.status !== 0) {
      if (row.answer === "")
        throw refuse.conflict(
          "[Idempotency-Key]: the request with this key was done, and its answer was too long to be kept: read what it made",
        )
      const { headers, ...kept }: Answer = JSON.parse(secrets.unseal(row.answer, contextOf(digest)))
      return { ...kept, headers: { ...headers, ...REPLAYED } }
    }
    if (performance.now() >= until) throw unanswered()
    await sleep(LOOK_MS)
  }
}

const contextOf = (digest: string): string => `kept answer:${digest}`

async function runFirst(
  services: Services,
  digest: string,
  given: Repeatable,
  run: (services: Services) => Promise<Answer>,
): Promise<Answer> {
  const { database } = services
  await requireRoom(services, given.userId)
  if (given.canHold)
    try {
      return await database.hold(
        async (tx) => {
          const held = servicesInside(services, tx)
          await claim(held, digest, given)
          const answer = await run(held)
          await keep(held, digest, answer)
          return answer
        },
        { steady: given.steady },
      )
    } catch (error) {
      // Nothing was done: it is done without a transaction around it.
      if (!(error instanceof ActsOutside || error instanceof TransactionIdle)) throw error
    }
  await claim(services, digest, given)
  try {
    const answer = await run(services)
    await keep(services, digest, answer)
    return answer
  } catch (error) {
    // What failed otherwise may have been done in part.
    if (error instanceof Refusal && (error.status < 500 || error.kind === "busy")) await database.write((tx) => releaseKey(tx, { digest }))
    throw error
  }
}

/** Does work after that of others under this name in this process: they would only be in each other's way. */
export const afterOthers = <R>(services: Services, name: string, work: () => Promise<R>): Promise<R> =>
  inTurn(turnsOf(services), name, performance.now() + WAIT_MS, work)

/** For how long a process that has died keeps others from what it has locked, in seconds. */
const LOCKED_SECONDS = 120

/** Does work while no one else does some under this name, in any process. Refuses `conflict` where it takes those before too long. */
export async function underLock<R>(
  services: Services,
  { userId, name }: { readonly userId: number; readonly name: string },
  work: () => Promise<R>,
): Promise<R> {
  const { database, now } = services
  const digest = hash("sha256", `lock\n${name}`, "base64url")
  const until = performance.now() + WAIT_MS
  return inTurn(turnsOf(services), digest, until, async () => {
    while (
      !(await database.write((tx) => claimKey.first(tx, { digest, userId, request: "", now: now(), before: now() - LOCKED_SECONDS })))
    ) {
      if (performance.now() >= until)
        throw new Refusal("conflict", "someone else is changing this; try again in a moment", undefined, undefined, 1)
      await sleep(LOOK_MS)
    }
    try {
      return await work()
    } finally {
      await database.write((tx) => releaseKey(tx, { digest }))
    }
  })
}

async function requireRoom({ database }: Services, userId: number): Promise<void> {
  const { count = 0, bytes } = (await countKept.first(database.read, { userId })) ?? {}
  if (count >= MOST_KEPT || (bytes ?? 0) >= MOST_BYTES)
    throw refuse.tooSoon("[Idempotency-Key]: as many answers are kept for you as may be; send this without a key, or later", 3_600)
}

async function claim({ database, now }: Services, digest: string, { userId, request }: Repeatable): Promise<void> {
  const at = now()
  const row = await database.write((tx) => claimKey.first(tx, { digest, userId, request, now: at, before: at - KEPT_SECONDS }))
  if (!row) throw new Taken()
}

async function keep({ database, secrets }: Services, digest: string, { status, body, headers }: Answer): Promise<void> {
  const text = JSON.stringify({ status, body, headers })
  const answer = text.length > LONGEST ? "" : secrets.seal(text, contextOf(digest))
  await database.write((tx) => keepAnswer.changes(tx, { digest, status, answer, bytes: answer.length }))
}
