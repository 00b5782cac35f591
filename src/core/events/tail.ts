import { workOfService } from "../caller.ts"
import { onFirstUseOf } from "../memoize.ts"
import type { Services } from "../services.ts"
import { GROWTH_CHANNEL } from "./growth.ts"
import { readLog, type StoredEvent } from "./log.ts"
import { endOfLog, type Position } from "./store.ts"

/**
 * The end of the log as it grows, read once for all who follow it in a process. While anyone does, the process looks whether the database has changed: when a
 * process says so, and once a second, since words may be lost.
 */

const LOOK_MS = 1_000
/** The least milliseconds between two looks. */
const SOON_MS = 20
const EVENTS_AT_ONCE = 500

/** What a look has found. */
export interface News {
  /** Oldest first; none where something else has changed. */
  readonly events: readonly StoredEvent[]
  readonly from: Position
  readonly to: Position
}

/** Hears the news of each look at a database that has changed. The next look waits for it; where it rejects, all followers are told again. */
export type Hear = (news: News) => Promise<void> | void

export interface Tail {
  /** Follows the log from its end on, or from where those are who follow it already. */
  readonly follow: (hear: Hear) => Hearing
}

export interface Hearing {
  /** Resolves once all is told that is committed from then on. */
  readonly begun: Promise<void>
  readonly stop: () => void
}

/** The one of a process. */
export const tailOf = onFirstUseOf(openTail)

function openTail({ database, log }: Pick<Services, "database" | "log">): Tail {
  const followers = new Set<Hear>()
  let timer: NodeJS.Timeout | undefined
  let lookedAt = 0
  let isLooking = false
  let isTold = false
  let isListening = false
  let position: Position | undefined
  /** Resolved once there is a position. */
  let begun = Promise.withResolvers<void>()
  let seen: unknown

  async function look(): Promise<void> {
    try {
      const state = await database.state()
      if (state === seen && position) return
      // What is written from now on may be read already, and is looked for again.
      seen = state
      position ??= await endOfLog(database.read)
      begun.resolve()
      position = await tell(position)
    } catch (error) {
      seen = undefined
      log.warn({ err: error }, "what happens can't be read for those who follow it; it is tried again")
    }
  }

  /** Tells what has happened since a position, and gives the position of the end. */
  async function tell(from: Position): Promise<Position> {
    const events = await readLog(database.read, from, EVENTS_AT_ONCE)
    const to = events.at(-1)?.position ?? from
    await Promise.all([...followers].map((hear) => hear({ events, from, to })))
    return events.length < EVENTS_AT_ONCE ? to : tell(to)
  }

  /** Looks so many milliseconds after the last look. */
  function lookIn(milliseconds: number): void {
    clearTimeout(timer)
    timer = workOfService(() => setTimeout(() => void lookOn(), Math.max(0, lookedAt + milliseconds - performance.now())).unref())
  }

  async function lookOn(): Promise<void> {
    isLooking = true
    isTold = false
    await look()
    lookedAt = performance.now()
    isLooking = false
    timer = undefined
    if (followers.size > 0) lookIn(isTold ? SOON_MS : LOOK_MS)
    else {
      position = undefined
      begun = Promise.withResolvers()
    }
  }

  function soon(): void {
    isTold = true
    if (followers.size > 0 && !isLooking) lookIn(SOON_MS)
  }

  return {
    follow(hear) {
      followers.add(hear)
      if (!isListening)
        database
          .listen(GROWTH_CHANNEL, soon)
          .catch((error: unknown) => log.warn({ err: error }, "it is heard late what happens in other processes"))
      isListening = true
      if (!timer && !isLooking) lookIn(0)
      return { begun: begun.promise, stop: () => void followers.delete(hear) }
    },
  }
}
