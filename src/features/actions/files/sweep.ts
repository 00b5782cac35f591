import { sweepBlobs } from "../../../core/blobs/sweep.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { FOLDER } from "./files.ts"
import { findArtifactFiles, findCacheFiles, findLogFiles, findLogPartFiles, findPartFiles } from "./store.ts"

/** Removes files of artifacts, caches, uploads and logs left by processes that ended before they wrote the row. */
export const sweepActionFiles: Task = {
  name: "sweep_action_files",
  cron: "47 4 * * *",
  run: async (services, signal) => {
    const { blobs, database, now } = services
    const removed = await sweepBlobs(blobs, FOLDER, { now: now(), signal, findKept: (files) => findKept(database.read, files) })
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}

async function findKept(db: Handle, files: readonly string[]): Promise<readonly string[]> {
  const kept = [findArtifactFiles, findLogFiles, findLogPartFiles, findCacheFiles, findPartFiles]
  const rows = await Promise.all(kept.map((find) => find(db, { files })))
  return rows.flat().map(({ file }) => file)
}
