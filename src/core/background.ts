import { workDetached } from "./caller.ts"

/** Work in this process that goes on when the request that began it is answered. What is lost with the process is begun again by the next request. */
export interface Background {
  /**
   * Begins the work after what waits in its lane, unless the same is under way. It counts to the caller's shares and gets a signal that fires after the
   * time limit. Resolves when it has ended, also when it failed; undefined where the lane is full and nothing was begun.
   */
  readonly begin: (lane: string, key: string, work: (signal: AbortSignal) => Promise<void>) => Promise<void> | undefined
  /** Resolves once nothing is under way any more. */
  readonly idle: () => Promise<void>
}

interface BackgroundOptions {
  /** How many wait in a lane, and in all lanes together. */
  readonly perLane: number
  readonly total: number
  readonly timeoutMs: number
  readonly onError: (error: unknown) => void
}

/** One at a time in each lane. */
export function createBackground({ perLane, total, timeoutMs, onError }: BackgroundOptions): Background {
  const lanes = new Map<string, Map<string, Promise<void>>>()
  let count = 0
  return {
    begin(lane, key, work) {
      const waiting = lanes.get(lane) ?? new Map<string, Promise<void>>()
      const same = waiting.get(key)
      if (same) return same
      if (waiting.size >= perLane || count >= total) return undefined
      const before = [...waiting.values()].at(-1)
      const run = async () => {
        await before
        try {
          await work(AbortSignal.timeout(timeoutMs))
        } catch (error) {
          onError(error)
        } finally {
          count -= 1
          waiting.delete(key)
          if (waiting.size === 0) lanes.delete(lane)
        }
      }
      count += 1
      const running = workDetached(run)
      waiting.set(key, running)
      lanes.set(lane, waiting)
      return running
    },
    async idle() {
      while (lanes.size > 0) await Promise.all([...lanes.values()].flatMap((lane) => [...lane.values()]))
    },
  }
}
