import type { Database } from "../database/database.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { Task } from "./schedule.ts"
import { removeEnded } from "./store.ts"

const DAY = 86_400
const KEPT_DAYS = { done: 7, failed: 90 } as const
// Small enough that other writers don't wait long.
const BATCH = 500

/** Removes jobs that are done after a week, and those that failed for good after three months. */
export const removeEndedJobs: Task<{ readonly database: Database; readonly now: () => Seconds }> = {
  name: "remove_ended_jobs",
  cron: "20 3 * * *",
  async run({ database, now }, signal) {
    let removed = 0
    for (const state of ["done", "failed"] as const) {
      const before = now() - KEPT_DAYS[state] * DAY
      for (let batch = BATCH; batch === BATCH && !signal.aborted; removed += batch)
        batch = await database.write((tx) => removeEnded.changes(tx, { state, before, limit: BATCH }))
    }
    return `${removed} removed`
  },
}
