import { sweepBlobs } from "../../../core/blobs/sweep.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { FOLDER } from "./files.ts"
import { deleteUnlinked, findKeptFiles, findLastObject } from "./store.ts"

/** Seconds; younger objects may belong to a repository that is being created. */
const GRACE = 86_400
/** Objects per transaction: few enough not to block other writers. */
const BATCH = 1000

/** Deletes large files that no repository has any more, with their files and those of incomplete uploads. */
export const sweepLfs: Task = {
  name: "gc_lfs",
  cron: "57 4 * * *",
  run: async (services, signal) => {
    const { blobs, database, now } = services
    const last = (await findLastObject.first(database.read))?.last ?? 0
    let forgotten = 0
    for (let after = 0; after < last && !signal.aborted; after += BATCH)
      forgotten += await database.write((tx) => deleteUnlinked.changes(tx, { after, upTo: after + BATCH, before: now() - GRACE }))
    const kept = async (files: readonly string[]) => (await findKeptFiles(database.read, { files })).map(({ file }) => file)
    const removed = await sweepBlobs(blobs, FOLDER, { now: now(), signal, findKept: kept })
    return forgotten + removed === 0 ? undefined : `forgot ${forgotten} objects, removed ${removed} files`
  },
}
