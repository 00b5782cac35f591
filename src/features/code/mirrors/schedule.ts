import type { Seconds } from "../../../core/database/tables.ts"

/** The longest that something which fails is left alone, unless it is asked for less often anyway. Seconds. */
const LONGEST_PAUSE = 86_400

/** When it is tried next: after its interval, and after twice as long with each failure; 0 where there is no schedule. */
export function nextSync(now: Seconds, interval: number, failures: number): Seconds {
  if (interval === 0) return 0
  if (failures === 0) return now + interval
  return now + Math.min(interval * 2 ** Math.min(failures, 16), Math.max(interval, LONGEST_PAUSE))
}
