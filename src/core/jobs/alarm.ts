/** One timer that rings at the earliest time it was set to, at the latest after an hour, and never once it is stopped. */
export interface Alarm {
  readonly set: (milliseconds: number) => void
  readonly stop: () => void
}

// Far times are approached in steps, so that a clock that was put right doesn't make anything late by more than this.
const LONGEST = 3_600_000

/** Makes an alarm; setting it anew replaces what was set. */
export function createAlarm(ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  return {
    set(milliseconds) {
      if (stopped) return
      clearTimeout(timer)
      timer = setTimeout(ring, Math.min(Math.max(milliseconds, 0), LONGEST))
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
