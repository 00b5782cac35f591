/**
 * How long one piece of work held everyone else up. Measured as processor time of this thread between two firings of a timer, so that a busy machine doesn't change it; a test's forge
 * runs in the same thread, and so does the test.
 */
import { collectGarbage } from "./garbage.ts"

/** How often is looked, in milliseconds. */
const EVERY_MS = 5

export interface Ticks {
  /** The longest tick so far, in milliseconds, rounded up by at most `EVERY_MS`. */
  readonly longest: () => number
  /** Forgets what was so far. */
  readonly restart: () => void
  readonly stop: () => void
}

const thread = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Watches the event loop until it is stopped. */
export function watchTicks(): Ticks {
  let before = thread()
  let longest = 0
  const look = (): void => {
    const now = thread()
    longest = Math.max(longest, now - before)
    before = now
  }
  const timer = setInterval(look, EVERY_MS).unref()
  return {
    longest() {
      look()
      return longest
    },
    restart() {
      look()
      longest = 0
    },
    stop: () => clearInterval(timer),
  }
}

/** What holds others up for no longer than 250 ms takes up to twice the processor time beside other work: for tests of what comes near to it. */
export const LONGEST_ALLOWED_MS = 500

/** The longest tick while something is done, in milliseconds. What ran before in this process leaves garbage, whose collection, of up to 570 ms, must not fall into it. */
export async function longestTickOf(work: () => Promise<unknown>): Promise<number> {
  collectGarbage()
  const ticks = watchTicks()
  try {
    await work()
    return ticks.longest()
  } finally {
    ticks.stop()
  }
}
