import { join } from "node:path"
import { namesIn, sweepFolder } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { folderOf } from "./files.ts"
import { findKeptUuids } from "./store.ts"

/** Removes files of uploads whose process ended before the row was written. */
export const sweepAttachments: Task = {
  name: "sweep_attachments",
  cron: "37 4 * * *",
  run: async (services, signal) => {
    const { database, now } = services
    const kept = async (uuids: readonly string[]) => (await findKeptUuids(database.read, { uuids })).map(({ uuid }) => uuid)
    let removed = 0
    for (const shard of await namesIn(folderOf(services)))
      removed += await sweepFolder(join(folderOf(services), shard), { now: now(), signal, findKept: kept })
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}
