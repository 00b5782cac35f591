import { setImmediate as turn } from "node:timers/promises"
import { callerKey } from "../../../core/caller.ts"
import { ActsOutside, TransactionIdle } from "../../../core/database/database.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { servicesInside } from "../../../core/held/services.ts"
import { heldOrUndone } from "../../../core/held/undone.ts"
import { t } from "../../../core/language/message.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { CallRequest, Sent } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { type Called, type Calls, callsOf } from "./calls.ts"
import { BATCH_ID } from "./id.ts"
import { bodyWith, memberAt, pathWith, referencesIn, type ValueAt, withoutReferences } from "./references.ts"

export { literally } from "./references.ts"

/** Many operations in one request, each of which does what a request of its own would do, and is refused as that would be. */

export interface Item {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

export interface Batch {
  readonly items: readonly Item[]
  /** All or nothing, in one transaction. */
  readonly atomic: boolean
  /** Nothing is done: it is rolled back at the end. */
  readonly dryRun: boolean
  readonly caller: Called["caller"]
  readonly request: CallRequest
}

export type Outcome =
  | { readonly kind: "sent"; readonly given: Called; readonly sent: Sent<number, unknown> }
  | { readonly kind: "refused"; readonly given: Called | undefined; readonly error: unknown }
  /** It was not tried, or was undone, because of another one. */
  | { readonly kind: "undone"; readonly because: number }

/** Milliseconds after which no further operation is begun. */
const LONGEST_MS = 30_000
/** The same in one transaction on SQLite, where all others who write wait for it. */
const LONGEST_TURN_MS = 5_000
/** Characters of all answers, after which no further operation is begun. */
const MOST_ANSWERED = 8 * 1024 * 1024
/** Characters that are taken over from answers. */
const MOST_TAKEN = 4 * 1024 * 1024
/** Batches of one process at a time; of each caller one. */
const AT_ONCE = 8

const runningOf = onFirstUseOf((_services: Services) => new Set<string>())

/** Runs a batch: gives what became of each operation, in their order. One at a time for each caller; refuses `tooMany` beyond that, and `busy`. */
export async function runBatch(services: Services, batch: Batch): Promise<readonly Outcome[]> {
  const running = runningOf(services)
  const who = callerKey()
  if (running.has(who)) throw refuse.tooMany("another batch of yours is under way; send this one when it is done")
  if (running.size >= AT_ONCE) throw refuse.busy()
  running.add(who)
  try {
    return await (batch.atomic || batch.dryRun ? runHeld(services, batch) : runEach(services, batch, LONGEST_MS, (call) => call(services)))
  } finally {
    running.delete(who)
  }
}

/** In one transaction, which is rolled back at the end of a dry run, and once one of them is refused where they are all or nothing. */
async function runHeld(services: Services, batch: Batch): Promise<readonly Outcome[]> {
  try {
    return await heldOrUndone(services, async (held) => {
      const outcomes = await runEach(held, batch, services.database.kind === "sqlite" ? LONGEST_TURN_MS : LONGEST_MS, (call) =>
        // One that is refused is undone alone.
        held.database.hold((itsOwn) => call(servicesInside(held, itsOwn))),
      )
      const failed = batch.atomic ? outcomes.findIndex(({ kind }) => kind === "refused") : -1
      const told =
        failed < 0 ? outcomes : outcomes.map((each, index): Outcome => (index === failed ? each : { kind: "undone", because: failed }))
      return { value: told, isUndone: failed >= 0 || batch.dryRun }
    })
  } catch (error) {
    if (error instanceof TransactionIdle) throw refuse.busy("the batch took too long for one transaction; nothing was done")
    throw error
  }
}

type Run = (call: (within: Services) => Promise<Sent<number, unknown>>) => Promise<Sent<number, unknown>>

async function runEach(services: Services, batch: Batch, longestMs: number, run: Run): Promise<readonly Outcome[]> {
  const calls = await callsOf(services)
  const until = performance.now() + longestMs
  const outcomes: Outcome[] = []
  const known = knownAnswers(services, calls, outcomes)
  for (const item of batch.items) {
    const outcome = await runOne(calls, batch, item, { index: outcomes.length, known, isOver: performance.now() > until, run })
    outcomes.push(outcome)
    if (outcome.kind === "refused" && batch.atomic) break
    // Others are answered in between.
    await turn()
  }
  const failed = outcomes.length - 1
  return [...outcomes, ...batch.items.slice(outcomes.length).map((): Outcome => ({ kind: "undone", because: failed }))]
}

interface Around {
  readonly index: number
  readonly known: KnownAnswers
  readonly isOver: boolean
  readonly run: Run
}

async function runOne(calls: Calls, batch: Batch, item: Item, { index, known, isOver, run }: Around): Promise<Outcome> {
  let given: Called | undefined
  try {
    const refusedBefore = [...referencesIn(item.path, item.body)].find((each) => known.wasRefused(each))
    if (refusedBefore !== undefined) return { kind: "undone", because: refusedBefore }
    given = calledBy(calls, batch, item, index, known.valueAt)
    if (isOver) throw refuse.busy("the time of the batch was over before this one; send it in another")
    if (known.areTooLong()) throw refuse.tooLarge("the answers of the batch are too long for this one; send it in another")
    const called = given
    const sent = await run((within) => calls.call(within, called))
    return { kind: "sent", given, sent }
  } catch (error) {
    const isOutside = (batch.atomic || batch.dryRun) && error instanceof ActsOutside
    return { kind: "refused", given, error: isOutside ? cantBeUndone(given) : error }
  }
}

const cantBeUndone = (given: Called | undefined): Refusal =>
  refuse.invalid(
    "path",
    t`${given?.operation.id ?? ""} changes more than the database, which can't be undone: send it without atomic and dry_run`,
  )

/** Names in a query that say who calls, which is the same for all of a batch. */
const OF_CALLERS = ["sudo", "token", "access_token"]

function calledBy(calls: Calls, { caller, request }: Batch, { method, path, body }: Item, index: number, valueAt: ValueAt): Called {
  for (const each of referencesIn(path, body))
    if (each >= index) throw refuse.invalid("path", t`$${each} is the answer of an operation that is not before this one`)
  // The operation is chosen by what stands in the batch: no answer makes it another one.
  const { operation } = calls.at(method, withoutReferences(path))
  if (operation.id === BATCH_ID) throw refuse.invalid("path", "a batch can't be part of a batch")
  const found = calls.at(method, pathWith(path, valueAt))
  if (found.operation !== operation)
    throw refuse.invalid("path", "is that of another operation with the value that an earlier answer gives")
  for (const name of OF_CALLERS) if (found.query.has(name)) throw refuse.invalid("path", t`${name} is said for the whole batch`)
  return { ...found, ...(body !== undefined && { body: bodyWith(body, valueAt) }), caller, request }
}

interface KnownAnswers {
  /** Whether the operation of this index has no answer that could be used. */
  readonly wasRefused: (index: number) => boolean
  readonly areTooLong: () => boolean
  readonly valueAt: ValueAt
}

/** The answers so far, as their client sees them. */
function knownAnswers(services: Services, calls: Calls, outcomes: readonly Outcome[]): KnownAnswers {
  const texts: (string | undefined)[] = []
  const bodies = new Map<number, unknown>()
  let answered = 0
  let taken = 0
  /** Looks at those that are new. */
  function look(): void {
    for (const outcome of outcomes.slice(texts.length)) {
      const text = outcome.kind === "sent" ? JSON.stringify(calls.answerOf(services, outcome.given, outcome.sent).body) : undefined
      answered += text?.length ?? 0
      texts.push(text)
    }
  }
  return {
    wasRefused: (index) => {
      const outcome = outcomes[index]
      return outcome !== undefined && outcome.kind !== "sent"
    },
    areTooLong: () => {
      look()
      return answered > MOST_ANSWERED
    },
    valueAt: (index, members) => {
      look()
      if (!bodies.has(index)) bodies.set(index, JSON.parse(texts[index] ?? "null"))
      const value = memberAt(bodies.get(index), members)
      if (value === undefined) throw refuse.invalid("path", t`the answer of operation ${index} has no ${members.join(".")}`)
      taken += JSON.stringify(value).length
      if (taken > MOST_TAKEN) throw refuse.tooLarge("too much of earlier answers is used in this batch")
      return value
    },
  }
}
