/** Pauses of random lengths that follow from a seed alone: the n-th time at a point is always as long, whatever happens elsewhere. */
import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Pause, PausePoint } from "../../src/seams/pause.ts"

/** Most pauses are zero, so that unpaused work overlaps with paused work; few are long enough for other work to run completely. */
const LONGEST_MS = 25
const CHANCE = 0.3

/** How long to wait at a point, in milliseconds, the n-th time. */
export function delayAt(seed: number, point: PausePoint, count: number): number {
  const digest = createHash("sha256").update(`${seed} ${point} ${count}`).digest()
  if (digest.readUInt32LE(0) / 2 ** 32 >= CHANCE) return 0
  // Squared, because short pauses cause more conflicts.
  return LONGEST_MS * (digest.readUInt32LE(4) / 2 ** 32) ** 2
}

/** Pauses under a seed, each point counted from its first. */
export function pausesOf(seed: number): Pause {
  const counts = new Map<PausePoint, number>()
  return async (point) => {
    const count = (counts.get(point) ?? 0) + 1
    counts.set(point, count)
    const delay = delayAt(seed, point, count)
    if (delay > 0) await sleep(delay)
  }
}
