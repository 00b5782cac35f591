import { GitError } from "./errors.ts"

/** Gives a permit back. Calling it again does nothing. */
export type Release = () => void

/** How many permits there are, in all and for one key, and how long other callers may wait. */
export interface LimiterOptions {
  /** Permits held at the same time, over all keys. */
  readonly total: number
  /** Permits held at the same time for one key. */
  readonly perKey: number
  /** The most callers that may wait; any more are refused immediately. */
  readonly queue: number
  /** Milliseconds that a caller waits before it is refused. */
  readonly waitMs: number
}

/** A semaphore with a total limit, a limit per key and a bounded queue. */
export interface Limiter {
  /** Waits for a permit. Throws `busy` when the queue is full or the wait is over, `aborted` when the signal fires first. */
  acquire(key: string, signal?: AbortSignal): Promise<Release>
  /** Permits held now. */
  active(): number
  /** Callers waiting now. */
  waiting(): number
}

/** Creates a limiter. Waiting callers are served in order, except that those whose key is at its limit are skipped. */
export function createLimiter(options: LimiterOptions): Limiter {
  const out = new Map<string, number>()
  const queue: { readonly key: string; readonly grant: () => void }[] = []
  let active = 0

  const free = (key: string) => active < options.total && (out.get(key) ?? 0) < options.perKey

  function take(key: string): Release {
    active += 1
    out.set(key, (out.get(key) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      active -= 1
      const left = (out.get(key) ?? 1) - 1
      if (left === 0) out.delete(key)
      else out.set(key, left)
      const next = queue.findIndex((waiter) => free(waiter.key))
      if (next !== -1) queue.splice(next, 1)[0]?.grant()
    }
  }

  function acquire(key: string, signal?: AbortSignal): Promise<Release> {
    if (signal?.aborted) return Promise.reject(new GitError("aborted", "given up before its turn"))
    if (free(key)) return Promise.resolve(take(key))
    if (queue.length >= options.queue) return Promise.reject(new GitError("busy", "too many are waiting"))
    return new Promise((resolve, reject) => {
      const waiter = { key, grant: () => settle(() => resolve(take(key))) }
      const timer = setTimeout(() => leave(new GitError("busy", "waited too long for a turn")), options.waitMs)
      const abort = () => leave(new GitError("aborted", "given up before its turn"))
      const settle = (then: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", abort)
        then()
      }
      const leave = (error: GitError) => {
        queue.splice(queue.indexOf(waiter), 1)
        settle(() => reject(error))
      }
      signal?.addEventListener("abort", abort)
      queue.push(waiter)
    })
  }

  return { acquire, active: () => active, waiting: () => queue.length }
}
