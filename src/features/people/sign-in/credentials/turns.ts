import { type Share, whole } from "../../../../core/cluster/share.ts"
import { refuse } from "../../../../core/errors.ts"

/** Runs `work` once there is a free slot. Callers who wait take turns. */
export type Turns = <T>(caller: string, work: () => Promise<T>) => Promise<T>

interface Waiter {
  readonly go: () => void
  readonly refuse: () => void
}

/**
 * Slots for slow work that callers share fairly: among those who wait, each caller gets the next free slot in turn, however many tries they have in
 * the queue. A caller may hold half of the queue. When all of it is taken, the caller with the most loses their last try to one with fewer.
 * Refuses `busy`.
 *
 * @param slots how much runs at once.
 * @param queue how many may wait.
 * @param partOf this process's part of both.
 */
export function openTurns(slots: number, queue: number, partOf: Share = whole): Turns {
  /** In the order of their turns. */
  const waiting = new Map<string, Waiter[]>()
  let running = 0
  let waiters = 0

  function makeRoom(held: number): void {
    const places = partOf(queue)
    if (held >= Math.ceil(places / 2)) throw refuse.busy()
    if (waiters < places) return
    const [most] = [...waiting.values()].sort((a, b) => b.length - a.length)
    if (!most || most.length <= held + 1) throw refuse.busy()
    most.pop()?.refuse()
    waiters--
  }

  async function wait(caller: string): Promise<void> {
    const own = waiting.get(caller) ?? []
    makeRoom(own.length)
    waiting.set(caller, own)
    waiters++
    await new Promise<void>((go, reject) => own.push({ go, refuse: () => reject(refuse.busy()) }))
  }

  /** The slot is passed on directly, so that work that arrives in between can't take it. */
  function passOn(): void {
    const [next] = waiting
    if (!next || running > partOf(slots)) {
      running--
      return
    }
    const [caller, own] = next
    waiting.delete(caller)
    const waiter = own.shift()
    if (own.length > 0) waiting.set(caller, own)
    waiters--
    waiter?.go()
  }

  return async (caller, work) => {
    if (running >= partOf(slots)) await wait(caller)
    else running++
    try {
      return await work()
    } finally {
      passOn()
    }
  }
}
