import { type Share, whole } from "../../../core/cluster/share.ts"
import { refuse } from "../../../core/errors.ts"

/**
 * Shared looks at what changes: however many readers follow the same thing, it is looked at once in a while, and not at all once the last of
 * them has gone.
 */
export interface Looks<Value> {
  /** Begins to follow the thing of this id until `signal` fires. Refuses `busy` where too many do. */
  readonly follow: (id: number, signal: AbortSignal) => Followed<Value>
}

export interface Followed<Value> {
  /** What is seen at the next look; at first what was seen just now, if someone looked. Rejects with the reason of the signal once that has fired. */
  readonly next: () => Promise<Value>
  readonly leave: () => void
}

export interface LooksOptions {
  /** The least milliseconds between two looks at the same thing. */
  readonly everyMs: number
  /** The most readers of all things together, and of one. */
  readonly mostReaders: number
  readonly mostReadersOfOne: number
  /** This process's part of both; by default all. */
  readonly share?: Share
}

interface Watched<Value> {
  readers: number
  /** When it was last looked at, by the clock of the process; and what was seen. */
  lookedAt: number
  last: Promise<Value> | undefined
  coming: Promise<Value> | undefined
  timer: NodeJS.Timeout | undefined
}

export function openLooks<Value>(
  look: (id: number) => Promise<Value>,
  { everyMs, mostReaders, mostReadersOfOne, share = whole }: LooksOptions,
): Looks<Value> {
  const all = new Map<number, Watched<Value>>()
  let readers = 0

  /** The next look, the same for all that wait for it. */
  function comingTo(id: number, watched: Watched<Value>): Promise<Value> {
    if (watched.coming) return watched.coming
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    watched.coming = promise
    // No one may be there any more to hear of it.
    promise.catch(() => {})
    const begin = () => {
      watched.lookedAt = performance.now()
      watched.last = promise
      watched.coming = undefined
      look(id).then(resolve, reject)
    }
    watched.timer = setTimeout(begin, Math.max(0, watched.lookedAt + everyMs - performance.now())).unref()
    return promise
  }

  return {
    follow(id, signal) {
      const watched = all.get(id) ?? {
        readers: 0,
        lookedAt: Number.NEGATIVE_INFINITY,
        last: undefined,
        coming: undefined,
        timer: undefined,
      }
      if (readers >= share(mostReaders) || watched.readers >= share(mostReadersOfOne))
        throw refuse.busy("too many are watching; try again later")
      all.set(id, watched)
      watched.readers++
      readers++
      let isFirst = true
      let isThere = true
      const gone = Promise.withResolvers<never>()
      gone.promise.catch(() => {})
      const leave = () => {
        if (!isThere) return
        isThere = false
        signal.removeEventListener("abort", leave)
        gone.reject(signal.reason)
        readers--
        watched.readers--
        if (watched.readers > 0) return
        clearTimeout(watched.timer)
        all.delete(id)
      }
      signal.addEventListener("abort", leave)
      if (signal.aborted) leave()
      return {
        leave,
        async next() {
          signal.throwIfAborted()
          const seen = isFirst && performance.now() - watched.lookedAt < everyMs ? watched.last : undefined
          isFirst = false
          return Promise.race([seen ?? comingTo(id, watched), gone.promise])
        },
      }
    },
  }
}
