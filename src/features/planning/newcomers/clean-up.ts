import type { Task } from "../../../core/jobs/jobs.ts"

/** Rows per transaction: few enough not to block other writers. */
const BATCH = 500

/** Forgets what has waited too long, and what was decided long ago. */
export const cleanUpHeldRequests: Task = {
  name: "cleanup_held_requests",
  cron: "40 3 * * *",
  run: async ({ database, config, now }, signal) => {
    const { deleteHeld, findExpired } = await import("./store.ts")
    let removed = 0
    while (!signal.aborted) {
      const rows = await findExpired(database.read, { before: now() - config.newcomers.keepSeconds, limit: BATCH })
      if (rows.length === 0) break
      await database.write((tx) =>
        deleteHeld(
          tx,
          rows.map(({ id }) => id),
        ),
      )
      removed += rows.length
    }
    return removed === 0 ? undefined : `removed ${removed} requests of newcomers`
  },
}
