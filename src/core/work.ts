import { performance } from "node:perf_hooks"
import { callerKey } from "./caller.ts"
import { Refusal } from "./errors.ts"
import { type Text, t } from "./language/message.ts"

/*
 * Work whose size someone outside chooses: comparing patterns with names, masking logs, walking lists of users. JavaScript does one thing at a time, also where it awaits
 * SQLite, whose answers are there at once: a long loop blocks all callers. So such work counts its steps, ends at a limit, and lets others have their turn every few
 * milliseconds. All works of a process share one turn, callers fairly, so that many of them block no caller longer than one.
 *
 * What can't be interrupted, such as parsing a document, is done in a thread of its own (worker.ts).
 */

/** How long one work goes on before others have their turn, in milliseconds. */
const TURN_MS = 8

/** The limits of one work. */
export interface WorkLimits {
  /** Completes the sentence "it takes too much work to …". */
  readonly what: Text
  /** The most steps: `services.config.limits.workSteps`. One is about a character that is looked at, some ten nanoseconds. */
  readonly steps: number
  /** Set in a transaction, where nothing but the database is awaited: others have no turn before it ends, so `steps` must be few. */
  readonly isWithoutTurns?: boolean
}

/** One piece of work, usually of a request or a push. */
export interface Work {
  /** Counts steps. Throws `TooMuchWork` beyond the limit. For what can't wait, such as a matcher; `step` is called between. */
  readonly spend: (steps: number) => void
  /** Counts steps, and waits until it has its turn again where it has had one. Not to be awaited in a transaction. */
  readonly step: (steps?: number) => Promise<void>
}

/** Refuses work that would take more steps than are allowed. */
export class TooMuchWork extends Refusal {
  constructor(what: Text) {
    super("invalid", t`it takes too much work to ${what}; use fewer or simpler ones`)
  }
}

/** Begins a work. */
export function beginWork({ what, steps: most, isWithoutTurns = false }: WorkLimits): Work {
  let spent = 0
  const spend = (steps: number): void => {
    spent += steps
    if (spent > most) throw new TooMuchWork(what)
  }
  return {
    spend,
    async step(steps = 1) {
      spend(steps)
      if (!isWithoutTurns) await endLongTurn()
    },
  }
}

/** When someone else had the last turn. */
let turnBegan = 0

const isTurnOver = (): boolean => performance.now() - turnBegan >= TURN_MS

/** Lets others have their turn where this one has lasted long enough. */
export async function endLongTurn(): Promise<void> {
  if (isTurnOver()) await nextTurn()
}

/**
 * Does something for each of many, a slice at a time, and lets others have their turn after each: for work that is done later in the same turn of the event loop, and so can't be
 * timed, such as that of many who are woken.
 */
export async function inTurns<Each>(
  all: readonly Each[],
  atOnce: number,
  work: (some: readonly Each[]) => Promise<void> | void,
): Promise<void> {
  for (let from = 0; from < all.length; from += atOnce) {
    await work(all.slice(from, from + atOnce))
    await nextTurn()
  }
}

/** Those who wait for a turn, by caller; the caller that comes next first. */
const waiting = new Map<string, (() => void)[]>()

/** Resolves when the event loop has done what else there was to do, and it is the caller's turn. */
export function nextTurn(): Promise<void> {
  const caller = callerKey()
  return new Promise((resolve) => {
    if (waiting.size === 0) setImmediate(serveNext)
    const others = waiting.get(caller)
    if (others) others.push(resolve)
    else waiting.set(caller, [resolve])
  })
}

function serveNext(): void {
  const [next] = waiting
  if (next === undefined) return
  const [caller, [first, ...others]] = next
  waiting.delete(caller)
  if (others.length > 0) waiting.set(caller, others)
  if (waiting.size > 0) setImmediate(serveNext)
  turnBegan = performance.now()
  first?.()
}

/** How many works wait for their turn now. */
export const worksWaiting = (): number => [...waiting.values()].reduce((sum, { length }) => sum + length, 0)
