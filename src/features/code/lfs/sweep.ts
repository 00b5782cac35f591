import { rm } from "node:fs/promises"
import { join } from "node:path"
import { changedAt, namesIn } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { folderOf } from "./files.ts"
import { deleteUnlinked, findKeptFiles, findLastObject } from "./store.ts"

/** Seconds; what is younger may belong to an upload that is under way, or to a repository that is being made. */
const GRACE = 86_400
/** Objects looked at in one transaction: few enough that nobody waits for the writer. */
const BATCH = 1000

/** Forgets large files that no repository has any more, and removes what they, and uploads that never ended, have left on the disk. */
export const sweepLfs: Task = {
  name: "gc_lfs",
  cron: "57 4 * * *",
  run: async (services, signal) => {
    const { database, now } = services
    const last = (await findLastObject.first(database.read))?.last ?? 0
    let forgotten = 0
    for (let after = 0; after < last && !signal.aborted; after += BATCH)
      forgotten += await database.write((tx) => deleteUnlinked.changes(tx, { after, upTo: after + BATCH, before: now() - GRACE }))
    let removed = 0
    for (const shard of await namesIn(folderOf(services))) {
      if (signal.aborted) break
      removed += await sweepShard(services, join(folderOf(services), shard))
    }
    return forgotten + removed === 0 ? undefined : `forgot ${forgotten} objects, removed ${removed} files`
  },
}

async function sweepShard({ database, now }: Services, folder: string): Promise<number> {
  const names = await namesIn(folder)
  let removed = 0
  for (let at = 0; at < names.length; at += BATCH) {
    const files = names.slice(at, at + BATCH)
    const kept = new Set((await findKeptFiles(database.read, { files })).map(({ file }) => file))
    for (const name of files) {
      const path = join(folder, name)
      if (kept.has(name) || (await changedAt(path)) > (now() - GRACE) * 1000) continue
      await rm(path, { force: true })
      removed++
    }
  }
  return removed
}
