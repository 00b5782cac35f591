import { rm } from "node:fs/promises"
import { join } from "node:path"
import { changedAt, namesIn } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { folderOf } from "./files.ts"
import { findKeptUuids } from "./store.ts"

/** Milliseconds; whatever is younger may belong to an upload that is under way. */
const GRACE = 86_400_000

/** Removes what uploads have left behind whose process ended before their row was written. */
export const sweepAttachments: Task = {
  name: "sweep_attachments",
  cron: "37 4 * * *",
  run: async (services, signal) => {
    let removed = 0
    for (const shard of await namesIn(folderOf(services))) {
      if (signal.aborted) break
      removed += await sweepShard(services, join(folderOf(services), shard))
    }
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}

async function sweepShard({ database, now }: Services, folder: string): Promise<number> {
  const names = await namesIn(folder)
  const kept = new Set((await findKeptUuids(database.read, { uuids: names })).map(({ uuid }) => uuid))
  let removed = 0
  for (const name of names) {
    const path = join(folder, name)
    if (kept.has(name) || (await changedAt(path)) > now() * 1000 - GRACE) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
