import { untilFewer } from "../../../core/batches.ts"
import type { Task } from "../../../core/jobs/jobs.ts"

/** For how long a key stands for what was sent with it, in seconds. */
export const KEPT_SECONDS = 86_400

/** Rows that are removed in one transaction. */
const BATCH = 1_000

/** Removes answers to writes that can no longer be sent again. */
export const pruneKeptAnswers: Task = {
  name: "prune_kept_answers",
  cron: "@hourly",
  run: async ({ database, now }, signal) => {
    const { forgetOldKept } = await import("./store.ts")
    const before = now() - KEPT_SECONDS
    return `${await untilFewer(BATCH, signal, () => database.write((tx) => forgetOldKept.changes(tx, { before, limit: BATCH })))} removed`
  },
}
