import type { Database, Transaction } from "../../../core/database/database.ts"

/**
 * Tells waiting runners, in all processes, that there may be work for them. Messages arrive everywhere in the order of their commits, so that
 * all processes count the same version, which begins at the time of the first start: a runner that asks another process next is
 * understood there.
 */

const CHANNEL = "hearth_actions"

/** Milliseconds after which runners look without having been told, should a message be lost. */
const LOOK_AFTER_MS = 30_000

export interface Signals {
  /** Grows with every change that may give a runner work. Never 0, which runners take for an old server. */
  readonly version: () => bigint
  /** Waits until the version has changed, or the time is over, or `signal` fires. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Ends all waiting, without a change. */
  readonly wake: () => void
  readonly close: () => Promise<void>
}

/** Says, when the transaction commits, that jobs wait for runners, or that a runner may take others than before. */
export const signalWork = (database: Database, tx: Transaction): Promise<void> => database.notify(CHANNEL, String(Date.now()), tx)

/** Listens to the signals of all processes. */
export async function openSignals(database: Database): Promise<Signals> {
  let version = BigInt(Date.now())
  const waiting = new Set<() => void>()
  const wake = (): void => {
    const woken = [...waiting]
    waiting.clear()
    for (const end of woken) end()
  }
  const bump = (payload: string | undefined): void => {
    const next = version + 1n
    const told = payload !== undefined && /^\d{1,15}$/.test(payload) ? BigInt(payload) : next
    version = told > next ? told : next
    wake()
  }
  const stop = await database.listen(CHANNEL, bump)
  const timer = setInterval(() => bump(undefined), LOOK_AFTER_MS).unref()
  return {
    version: () => version,
    wait(milliseconds, signal) {
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timeout)
          waiting.delete(end)
          signal.removeEventListener("abort", end)
          resolve()
        }
        const timeout = setTimeout(end, milliseconds)
        waiting.add(end)
        signal.addEventListener("abort", end)
        if (signal.aborted) end()
      })
    },
    wake,
    async close() {
      clearInterval(timer)
      wake()
      await stop()
    },
  }
}
