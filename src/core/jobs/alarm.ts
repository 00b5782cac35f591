/** One timer that rings at the earliest time it was set to, at the latest after an hour, and never once it is stopped. */
export interface Alarm {
  readonly set: (milliseconds: number) => void
  /** Like `set`, unless it rings earlier anyway. */
  readonly setEarlier: (milliseconds: number) => void
  readonly stop: () => void
}

// Far times are approached in steps, so that a clock that was put right doesn't make anything late by more than this.
const LONGEST = 3_600_000

/** Makes an alarm; setting it anew replaces what was set. */
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
