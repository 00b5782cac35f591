import type { Task } from "../../../core/jobs/schedule.ts"
import { findExpired } from "../../code/deletions/store.ts"
import { endDeletion } from "./room.ts"

const BATCH = 50

/** Removes for good what can't be restored any more, each in its own transaction. */
export const endDeletions: Task = {
  name: "end_deletions",
  cron: "7 * * * *",
  run: async (services, signal) => {
    const { config, database, now } = services
    const before = now() - config.undo.keepSeconds + (config.undo.keepSeconds === 0 ? 1 : 0)
    let ended = 0
    for (;;) {
      const expired = await findExpired(database.read, { before, limit: BATCH })
      for (const each of expired) {
        if (signal.aborted) return `${ended} ended`
        if (await database.write((tx) => endDeletion(tx, services, each))) ended++
      }
      if (expired.length < BATCH) return `${ended} ended`
    }
  },
}
