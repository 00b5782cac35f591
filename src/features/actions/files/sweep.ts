import { join } from "node:path"
import type { Handle } from "../../../core/database/database.ts"
import { namesIn, sweepFolder } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { filesRoot } from "./files.ts"
import { findArtifactFiles, findCacheFiles, findLogFiles, findPartFiles } from "./store.ts"

/** Removes files of artifacts, caches, uploads and logs left by processes that ended before they wrote the row. */
export const sweepActionFiles: Task = {
  name: "sweep_action_files",
  cron: "47 4 * * *",
  run: async (services, signal) => {
    let removed = 0
    for (const folder of await foldersBelow(filesRoot(services)))
      removed += await sweepFolder(folder, { now: services.now(), signal, findKept: (files) => findKept(services.database.read, files) })
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}

/** The folders of repositories: storage keys have two parts. */
async function foldersBelow(root: string): Promise<readonly string[]> {
  const folders: string[] = []
  for (const shard of await namesIn(root)) for (const name of await namesIn(join(root, shard))) folders.push(join(root, shard, name))
  return folders
}

async function findKept(db: Handle, files: readonly string[]): Promise<readonly string[]> {
  const kept = [findArtifactFiles, findLogFiles, findCacheFiles, findPartFiles]
  const rows = await Promise.all(kept.map((find) => find(db, { files })))
  return rows.flat().map(({ file }) => file)
}
