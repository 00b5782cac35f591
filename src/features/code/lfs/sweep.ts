import { join } from "node:path"
import { namesIn, sweepFolder } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { folderOf } from "./files.ts"
import { deleteUnlinked, findKeptFiles, findLastObject } from "./store.ts"

/** Seconds; what is younger may belong to a repository that is being made. */
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
    const kept = async (files: readonly string[]) => (await findKeptFiles(database.read, { files })).map(({ file }) => file)
    for (const shard of await namesIn(folderOf(services)))
      removed += await sweepFolder(join(folderOf(services), shard), { now: now(), signal, findKept: kept })
    return forgotten + removed === 0 ? undefined : `forgot ${forgotten} objects, removed ${removed} files`
  },
}
