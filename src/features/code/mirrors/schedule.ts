import type { Seconds } from "../../../core/database/tables/index.ts"

/** The longest backoff after failures, unless the interval itself is longer. Seconds. */
const LONGEST_PAUSE = 86_400

/** The time of the next attempt: after the interval, doubled with each failure; 0 if there is no schedule. */
export function nextSync(now: Seconds, interval: number, failures: number): Seconds {
  if (interval === 0) return 0
  if (failures === 0) return now + interval
  return now + Math.min(interval * 2 ** Math.min(failures, 16), Math.max(interval, LONGEST_PAUSE))
}
