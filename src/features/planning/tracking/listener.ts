import type { Listener } from "../../../core/events/events.ts"
import { stopStopwatch } from "./stopwatches.ts"

/** The stopwatch of the person who closes or merges stops, and its time is booked. */
export const tracking: Listener = {
  name: "time tracking",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "issue.closed" || event.kind === "pull.merged") await stopStopwatch(tx, event.issue, event.actor, event.at)
    }
  },
}
