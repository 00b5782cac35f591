import type { Actor } from "../../../core/actor.ts"
import { workOfService } from "../../../core/caller.ts"
import { refuse } from "../../../core/errors.ts"
import { readLog, type StoredEvent } from "../../../core/events/log.ts"
import { comparePositions } from "../../../core/events/position.ts"
import type { Position } from "../../../core/events/store.ts"
import { type Hear, type Hearing, tailOf } from "../../../core/events/tail.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Services } from "../../../core/services.ts"
import { endLongTurn, inTurns } from "../../../core/work.ts"
import { callersNow } from "../../people/sign-in/callers-now.ts"
import { openTurns } from "../../people/sign-in/credentials/turns.ts"
import { type Item, itemsOf } from "./items.ts"
import { type Filter, judge, rightsKey } from "./judge.ts"

/**
 * Those who follow the log of events in a process. A stream is its caller, its filter and a position, and nothing is kept for it: one that waits at the end of the log
 * is told of a new event when the process reads it, together with others, and other requests have their turn after every few of them; one that is not ready for it, because its
 * reader is slow or it began in the past, reads the log itself from its position on, page by page and in turns with others.
 */

/** Events of a page of the log. */
const PAGE = 100
/** Pages that are read at once for streams that are behind. */
const READERS = 4
/** Events that are told together. */
const TOGETHER = 20
/** Streams that are told together: what is told is read and judged anew for each so many, and others have their turn after them. */
const STREAMS_TOGETHER = 150
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
  /** As they were when they began. */
  readonly actor: Actor
  readonly caller: string
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
  /** How many each has. */
  const held = new Map<string, number>()
  // All may wait, even those of one caller, who may hold half of the queue.
  const inTurn = openTurns(READERS, 2 * config.events.streams)
  let end: Position | undefined
  let hearing: Hearing | undefined
  let isChecking = false

  /** Those who wait at a position, the streams of a caller side by side. */
  const waitingAt = (position: Position): readonly Stream[] =>
    [...Map.groupBy([...streams].filter(waitsAt(position)), ({ caller }) => caller).values()].flat()

  const hear: Hear = async ({ events, from, to }) => {
    let before = from
    for (let index = 0; index === 0 || index < events.length; index += TOGETHER) {
      const some = events.slice(index, index + TOGETHER)
      const [begin, after] = [before, some.at(-1)?.position ?? to]
      // Who comes to wait from now on, and is not there yet, reads by itself.
      end = after
      await inTurns(waitingAt(begin), STREAMS_TOGETHER, (each) => tell(some, begin, after, each))
      before = after
    }
    const behind = [...streams].filter(({ wake, position }) => wake && comparePositions(position, to) < 0)
    await inTurns(behind, STREAMS_TOGETHER, (each) => {
      for (const { wake } of each) wake?.("behind")
    })
  }

  /** Tells those of them who still wait what has happened between two positions. */
  async function tell(events: readonly StoredEvent[], from: Position, to: Position, all: readonly Stream[]): Promise<void> {
    const waits = waitsAt(from)
    const waiting = all.filter(waits)
    const items = waiting.length > 0 ? await itemsOf(services, events) : []
    const judged = items.length > 0 ? await judge(services, items, waiting) : []
    for (const [index, stream] of waiting.entries()) {
      const told = judged[index] ?? []
      if (told === "refused") finish(stream, true)
      // It may have gone on meanwhile.
      else if (waits(stream)) {
        stream.position = to
        if (told.length > 0) stream.wake?.({ kind: "told", items: told })
      }
    }
  }

  /** Ends the streams of callers who may not follow any more and hear of nothing by which that would be found. */
  async function check(): Promise<void> {
    try {
      const callers = [...Map.groupBy(streams, ({ caller }) => caller).values()]
      await inTurns(callers, STREAMS_TOGETHER, async (some) => {
        const now = await callersNow(
          services,
          some.flatMap(([first]) => first?.actor ?? []),
        )
        for (const [index, all] of some.entries()) if (!now[index]) for (const stream of all) finish(stream, true)
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
    workOfService(() => setTimeout(() => void check(), CHECK_MS).unref())
  }

  function count(who: string, more: number): void {
    const left = (held.get(who) ?? 0) + more
    if (left > 0) held.set(who, left)
    else held.delete(who)
  }

  function finish(stream: Stream, isRefused: boolean): void {
    stream.over ??= { kind: "over", isRefused }
    stream.wake?.(stream.over)
  }

  /** Reads a page of the log for a stream that is behind. */
  async function readOn(stream: Stream): Promise<{ readonly items: readonly Item[]; readonly isMore: boolean }> {
    await endLongTurn()
    const events = await readLog(database.read, stream.position, PAGE)
    const last = events.at(-1)
    stream.isNew = false
    if (!last) return { items: [], isMore: false }
    const [judged] = await judge(services, await itemsOf(services, events), [stream])
    if (judged === "refused" || !judged) {
      finish(stream, true)
      return { items: [], isMore: false }
    }
    stream.position = last.position
    return { items: judged, isMore: events.length === PAGE }
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
      const mine = held.get(who) ?? 0
      if (mine >= share(config.events.streamsPerCaller))
        throw refuse.tooMany("you follow events too often at once; end other streams first, or ask for more repositories in one")
      if (streams.size >= share(config.events.streams)) throw refuse.busy("too many follow events at the moment; try again later")
      const stream: Stream = {
        who,
        actor,
        caller: rightsKey(actor),
        filter,
        position: after,
        isNew: true,
        over: undefined,
        wake: undefined,
      }
      const leave = () => {
        signal.removeEventListener("abort", leave)
        finish(stream, false)
        if (streams.delete(stream)) count(who, -1)
        if (streams.size > 0) return
        hearing?.stop()
        hearing = undefined
        end = undefined
      }
      streams.add(stream)
      count(who, 1)
      signal.addEventListener("abort", leave)
      if (signal.aborted) leave()
      hearing ??= tailOf(services).follow(hear)
      checkSoon()
      return { next: (milliseconds) => next(stream, milliseconds), position: () => stream.position, leave }
    },
    count: () => streams.size,
  }
}

const waitsAt =
  (position: Position) =>
  (stream: Stream): boolean =>
    stream.wake !== undefined && comparePositions(stream.position, position) === 0

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
