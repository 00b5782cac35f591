import { rm } from "node:fs/promises"
import { join } from "node:path"
import { type SqlBool, sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import { changedAt, namesIn } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { folderOf } from "./files.ts"

/** Milliseconds; whatever is younger may belong to an upload that is under way. */
const GRACE = 86_400_000

/** Files whose rows are asked for at once. */
const BATCH = 500

// Written out: indexes that cover a part of a table are only used for the very words that they were made with.
const isFile = sql<SqlBool>`file <> ''`
const isLog = sql<SqlBool>`log_file <> ''`

const findArtifactFiles = query("actions.findArtifactFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("action_artifacts").select("file").where("file", "in", p.files).where(isFile),
)
const findLogFiles = query("actions.findLogFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("action_tasks").select("log_file as file").where("log_file", "in", p.files).where(isLog),
)

/** Removes what was left behind by processes that ended between the file of an artifact or a log and its row. */
export const sweepActionFiles: Task = {
  name: "sweep_action_files",
  cron: "47 4 * * *",
  run: async (services, signal) => {
    let removed = 0
    const folders = await foldersBelow(folderOf(services))
    for (const folder of folders) {
      const names = await namesIn(folder)
      for (let at = 0; at < names.length && !signal.aborted; at += BATCH)
        removed += await sweep(services, folder, names.slice(at, at + BATCH))
    }
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}

/** The folders of repositories: storage keys have two parts. */
async function foldersBelow(root: string): Promise<readonly string[]> {
  const folders: string[] = []
  for (const shard of await namesIn(root)) for (const name of await namesIn(join(root, shard))) folders.push(join(root, shard, name))
  return folders
}

async function sweep({ database, now }: Services, folder: string, names: readonly string[]): Promise<number> {
  const rows = [...(await findArtifactFiles(database.read, { files: names })), ...(await findLogFiles(database.read, { files: names }))]
  const kept = new Set(rows.map(({ file }) => file))
  let removed = 0
  for (const name of names) {
    const path = join(folder, name)
    if (kept.has(name) || (await changedAt(path)) > now() * 1000 - GRACE) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
