import type { Actor } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { readLog } from "../../../core/events/log.ts"
import { comparePositions } from "../../../core/events/position.ts"
import type { Position } from "../../../core/events/store.ts"
import { type Hear, tailOf } from "../../../core/events/tail.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Services } from "../../../core/services.ts"
import { callersNow } from "../../people/sign-in/callers-now.ts"
import { openTurns } from "../../people/sign-in/credentials/turns.ts"
import { type Item, itemsOf } from "./items.ts"
import { type Filter, judge } from "./judge.ts"

/**
 * Those who follow the log of events in a process. A stream is its caller, its filter and a position, and nothing is kept for it: one that waits at the end of the log
 * is told of a new event when the process reads it, for all of them together; one that is not ready for it, because its reader is slow or it began in the past, reads the
 * log itself from its position on, page by page and in turns with others.
 */

/** Events of a page of the log. */
const PAGE = 100
/** Pages that are read at once for streams that are behind. */
const READERS = 4
/** Events that all are told together; who is to be told of more reads them by itself. */
const TOGETHER = 20
/** How often it is looked whether who hears nothing may still follow. */
const CHECK_MS = 15_000

export type Arrival =
  | { readonly kind: "told"; readonly items: readonly Item[] }
  /** Nothing happened for so long. */
  | { readonly kind: "quiet" }
  /** The reader is gone or the server stops; or the caller may not follow any more. */
  | { readonly kind: "over"; readonly isRefused: boolean }

const QUIET: Arrival = { kind: "quiet" }

export interface Following {
  /** Who counts for the bound of one caller. */
  readonly who: string
  readonly actor: Actor
  readonly filter: Filter
  readonly after: Position
}

export interface Follower {
  /** What comes next, or that nothing came for so many milliseconds. */
  readonly next: (milliseconds: number) => Promise<Arrival>
  /** Up to where it was told everything. */
  readonly position: () => Position
  readonly leave: () => void
}

export interface Streams {
  /** Refuses `tooMany` where the caller, and `busy` where all together, follow too much at once. */
  readonly follow: (following: Following, signal: AbortSignal) => Follower
  readonly count: () => number
}

interface Stream {
  readonly who: string
  readonly filter: Filter
  actor: Actor
  position: Position
  /** It has not read the log yet. */
  isNew: boolean
  over: Arrival | undefined
  /** Set while it waits. */
  wake: ((arrival: Arrival | "behind") => void) | undefined
}

/** The one of a process. */
export const streamsOf = onFirstUseOf(openStreams)

function openStreams(services: Services): Streams {
  const { config, database, share, log } = services
  const streams = new Set<Stream>()
  // All may wait, even those of one caller, who may hold half of the queue.
  const inTurn = openTurns(READERS, 2 * config.events.streams)
  let end: Position | undefined
  let stop: (() => void) | undefined
  let isChecking = false

  const hear: Hear = async ({ events, from, to }) => {
    const waiting = [...streams].filter(({ wake, position }) => wake && comparePositions(position, from) === 0)
    const items = waiting.length > 0 ? await itemsOf(services, events) : []
    const judged = items.length > 0 ? await judge(services, items, waiting) : []
    end = to
    for (const [index, stream] of waiting.entries()) {
      const told = judged[index] ?? { actor: stream.actor, items: [] }
      if (told === "refused") finish(stream, true)
      // It may have gone on meanwhile.
      else if (stream.wake && comparePositions(stream.position, from) === 0 && told.items.length <= TOGETHER) {
        stream.actor = told.actor
        stream.position = to
        if (told.items.length > 0) stream.wake({ kind: "told", items: told.items })
      }
    }
    for (const { wake, position } of streams) if (wake && comparePositions(position, to) < 0) wake("behind")
  }

  /** Ends the streams of callers who may not follow any more and hear of nothing by which that would be found. */
  async function check(): Promise<void> {
    try {
      const all = [...streams]
      const now = await callersNow(
        services,
        all.map(({ actor }) => actor),
      )
      all.forEach((stream, index) => {
        if (!now[index]) finish(stream, true)
      })
    } catch (error) {
      log.warn({ err: error }, "it can't be read who may still follow events; it is tried again")
    }
    isChecking = false
    checkSoon()
  }

  function checkSoon(): void {
    if (isChecking || streams.size === 0) return
    isChecking = true
    setTimeout(() => void check(), CHECK_MS).unref()
  }

  function finish(stream: Stream, isRefused: boolean): void {
    stream.over ??= { kind: "over", isRefused }
    stream.wake?.(stream.over)
  }

  /** Reads a page of the log for a stream that is behind. */
  async function readOn(stream: Stream): Promise<{ readonly items: readonly Item[]; readonly isMore: boolean }> {
    const events = await readLog(database.read, stream.position, PAGE)
    const last = events.at(-1)
    stream.isNew = false
    if (!last) return { items: [], isMore: false }
    const [judged] = await judge(services, await itemsOf(services, events), [stream])
    if (judged === "refused" || !judged) {
      finish(stream, true)
      return { items: [], isMore: false }
    }
    stream.actor = judged.actor
    stream.position = last.position
    return { items: judged.items, isMore: events.length === PAGE }
  }

  const isBehind = ({ isNew, position }: Stream): boolean => isNew || (end !== undefined && comparePositions(position, end) < 0)

  async function next(stream: Stream, milliseconds: number): Promise<Arrival> {
    const until = performance.now() + milliseconds
    for (let isMore = false; ; ) {
      if (stream.over) return stream.over
      if (isMore || isBehind(stream)) {
        const found = await inTurn(stream.who, () => readOn(stream))
        if (stream.over) return stream.over
        if (found.items.length > 0) return { kind: "told", items: found.items }
        isMore = found.isMore
        // Who has filters goes on from where it is now.
        if (isMore && performance.now() > until) return QUIET
        if (isMore) continue
      }
      const arrival = await wait(stream, until - performance.now())
      if (arrival !== "behind") return arrival
      isMore = true
    }
  }

  return {
    follow({ who, actor, filter, after }, signal) {
      const mine = [...streams].filter((each) => each.who === who).length
      if (mine >= share(config.events.streamsPerCaller))
        throw refuse.tooMany("you follow events too often at once; end other streams first, or ask for more repositories in one")
      if (streams.size >= share(config.events.streams)) throw refuse.busy("too many follow events at the moment; try again later")
      const stream: Stream = { who, actor, filter, position: after, isNew: true, over: undefined, wake: undefined }
      const leave = () => {
        signal.removeEventListener("abort", leave)
        finish(stream, false)
        streams.delete(stream)
        if (streams.size > 0) return
        stop?.()
        stop = undefined
        end = undefined
      }
      streams.add(stream)
      signal.addEventListener("abort", leave)
      if (signal.aborted) leave()
      stop ??= tailOf(services).follow(hear)
      checkSoon()
      return { next: (milliseconds) => next(stream, milliseconds), position: () => stream.position, leave }
    },
    count: () => streams.size,
  }
}

/** Waits until it is woken; "quiet" after so many milliseconds. */
const wait = (stream: Stream, milliseconds: number): Promise<Arrival | "behind"> =>
  new Promise((resolve) => {
    const wake = (arrival: Arrival | "behind") => {
      clearTimeout(timer)
      stream.wake = undefined
      resolve(arrival)
    }
    const timer = setTimeout(wake, Math.max(0, milliseconds), QUIET)
    stream.wake = wake
  })
