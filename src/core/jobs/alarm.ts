/** A timer that fires at the earliest time that it was set to, after an hour at the latest, and not after it is stopped. */
export interface Alarm {
  readonly set: (milliseconds: number) => void
  /** Like `set`, unless it is already set to an earlier time. */
  readonly setEarlier: (milliseconds: number) => void
  readonly stop: () => void
}

// Distant times are reached in steps, so that a corrected system clock delays nothing by more than this.
const LONGEST = 3_600_000

/** Creates an alarm; setting it again replaces the earlier time. */
export function createAlarm(ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined
  let due = Number.POSITIVE_INFINITY
  let stopped = false
  const set = (milliseconds: number): void => {
    if (stopped) return
    clearTimeout(timer)
    const wait = Math.min(Math.max(milliseconds, 0), LONGEST)
    due = performance.now() + wait
    timer = setTimeout(() => {
      due = Number.POSITIVE_INFINITY
      ring()
    }, wait)
  }
  return {
    set,
    setEarlier(milliseconds) {
      if (performance.now() + milliseconds < due) set(milliseconds)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
