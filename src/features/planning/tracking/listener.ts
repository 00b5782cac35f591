import type { Listener } from "../../../core/events/events.ts"
import { stopStopwatch } from "./stopwatches.ts"

/** Stops the stopwatch of the user who closes or merges, and records its time. */
export const tracking: Listener = {
  name: "time tracking",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "issue.closed" || event.kind === "pull.merged") await stopStopwatch(tx, event.issue, event.actor, event.at)
    }
  },
}
