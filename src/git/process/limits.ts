import { GitError } from "../model/errors.ts"

/** Gives a permit back. Calling it again does nothing. */
export type Release = () => void

/** Who the work is for. Work of the service itself (jobs, the start) has neither account nor address. */
export interface Caller {
  readonly account: string | undefined
  readonly address: string | undefined
  /** Fires when no one waits for the result any more. */
  readonly signal: AbortSignal | undefined
}

export const ownCaller: Caller = { account: undefined, address: undefined, signal: undefined }

/** How many permits there are, in all and for one repository, and how long callers may wait. */
export interface LimiterOptions {
  readonly name: string
  /** Permits held at the same time. */
  readonly total: number
  /** Permits held at the same time for one repository. */
  readonly perRepository: number
  /** The most callers that may wait, of whom one caller may be a quarter; any more are refused immediately. */
  readonly queue: number
  /** Milliseconds that a caller waits before it is refused. */
  readonly waitMs: number
  /** Who the current work is for. */
  readonly caller?: () => Caller
  /** This process's part of the permits; by default all. */
  readonly share?: (total: number) => number
}

/** A limiter now, and how often it has refused. */
export interface LimiterState {
  readonly name: string
  readonly total: number
  readonly active: number
  readonly waiting: number
  readonly refused: number
}

/** A semaphore with shares for repositories, accounts and addresses, and a bounded queue. */
export interface Limiter {
  /**
   * Waits for a permit. Throws `busy` when the queue is full, when the wait is over, and at once when it would be too long; `aborted` when the signal
   * fires first.
   */
  acquire(repository: string, options?: AcquireOptions): Promise<Release>
  /** A permit for the caller of the current work if there is one now that no one waits for. */
  takeFree(repository: string): Release | undefined
  state(): LimiterState
}

export interface AcquireOptions {
  /** By default the caller of the current work. */
  readonly caller?: Caller
  /** Fires when the permit is no longer wanted; by default the caller's signal. */
  readonly signal?: AbortSignal | undefined
}

/** A share of the permits that someone may hold. */
interface Share {
  readonly holder: string
  readonly most: number
}

/** How much a new measurement weighs in the average time that permits are held. */
const WEIGHT = 0.1

/**
 * Creates a limiter. A caller may hold half of the permits, all anonymous callers together three quarters, and so may an address with all its accounts.
 * Of those who wait, the caller that holds the fewest permits is served first, and of equal ones the first that came.
 */
export function createLimiter({
  name,
  total,
  perRepository,
  queue: places,
  waitMs,
  caller: current = () => ownCaller,
  share = (whole) => whole,
}: LimiterOptions): Limiter {
  const held = new Map<string, number>()
  const queue: Waiter[] = []
  const queuePerCaller = Math.max(1, Math.ceil(places / 4))
  let [active, refused, averageMs] = [0, 0, 0]

  const part = (of: number) => Math.max(1, Math.ceil(share(total) * of))
  const holds = (holder: string) => held.get(holder) ?? 0
  const isFree = (shares: readonly Share[]) => active < share(total) && shares.every(({ holder, most }) => holds(holder) < most)

  /** The caller's own share comes first. */
  function sharesOf(repository: string, { account, address }: Caller): readonly Share[] {
    const inRepository = { holder: `repository ${repository}`, most: share(perRepository) }
    if (account !== undefined)
      return [{ holder: `account ${account}`, most: part(1 / 2) }, { holder: `from ${address}`, most: part(3 / 4) }, inRepository]
    if (address !== undefined)
      return [{ holder: `from ${address}`, most: part(1 / 2) }, { holder: "anonymous", most: part(3 / 4) }, inRepository]
    return [{ holder: "service", most: part(3 / 4) }, inRepository]
  }

  function take(shares: readonly Share[]): Release {
    active += 1
    for (const { holder } of shares) held.set(holder, holds(holder) + 1)
    const since = performance.now()
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      active -= 1
      for (const { holder } of shares) {
        const left = holds(holder) - 1
        if (left <= 0) held.delete(holder)
        else held.set(holder, left)
      }
      averageMs += WEIGHT * (Math.min(performance.now() - since, waitMs) - averageMs)
      serveNext()
    }
  }

  function serveNext(): void {
    let next: Waiter | undefined
    for (const waiter of queue) if (isFree(waiter.shares) && (next === undefined || holds(waiter.self) < holds(next.self))) next = waiter
    next?.grant()
  }

  const busy = (why: string) => {
    refused += 1
    return new GitError("busy", `${name}: ${why}`)
  }

  function acquire(repository: string, { caller = current(), signal = caller.signal }: AcquireOptions = {}): Promise<Release> {
    if (signal?.aborted) return Promise.reject(new GitError("aborted", "given up before its turn"))
    const shares = sharesOf(repository, caller)
    if (isFree(shares)) return Promise.resolve(take(shares))
    const self = shares[0]?.holder ?? ""
    if (queue.length >= places || queue.filter((waiter) => waiter.self === self).length >= queuePerCaller)
      return Promise.reject(busy("too many are waiting"))
    if ((averageMs * (queue.length + 1)) / share(total) > waitMs) return Promise.reject(busy("the wait would be too long"))
    return new Promise((resolve, reject) => {
      const leave = (then: () => void) => {
        queue.splice(queue.indexOf(waiter), 1)
        clearTimeout(timer)
        signal?.removeEventListener("abort", abort)
        then()
      }
      const waiter: Waiter = { shares, self, grant: () => leave(() => resolve(take(shares))) }
      const timer = setTimeout(() => leave(() => reject(busy("waited too long for a turn"))), waitMs)
      const abort = () => leave(() => reject(new GitError("aborted", "given up before its turn")))
      signal?.addEventListener("abort", abort)
      queue.push(waiter)
    })
  }

  function takeFree(repository: string): Release | undefined {
    const shares = sharesOf(repository, current())
    return queue.length === 0 && isFree(shares) ? take(shares) : undefined
  }

  return { acquire, takeFree, state: () => ({ name, total: share(total), active, waiting: queue.length, refused }) }
}

/** A permit that can be exchanged for another while it is held. */
export interface Turn {
  readonly exchange: (other: Release) => void
  readonly end: () => void
}

export function takeTurn(first: Release): Turn {
  let release = first
  let isOver = false
  const end = () => {
    isOver = true
    release()
  }
  const exchange = (other: Release) => {
    release()
    release = other
    if (isOver) release()
  }
  return { exchange, end }
}

interface Waiter {
  readonly shares: readonly Share[]
  /** The caller's own share. */
  readonly self: string
  readonly grant: () => void
}
