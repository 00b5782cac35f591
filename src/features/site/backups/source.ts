import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Backups,
  FileLine,
  isFileLine,
  isRepositoryLine,
  RepositoryLine,
  readLine,
  type Snapshot,
} from "../../../core/backup/snapshots.ts"
import { readBytes, readLines } from "../../../core/backup/streams.ts"
import { openLoadable } from "../../../core/database/loadable.ts"
import { openDatabase } from "../../../core/database/open.ts"
import { loadDump } from "../../../core/database/portable/load.ts"
import type { Source } from "../copies/put-repository.ts"
import { dumpIn, requireKnown } from "./restore.ts"

/** Tables that no single repository is taken from, and that may be large. No other table leads to them. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "action_log_parts",
  "activities",
  "deeds",
  "events",
  "notifications",
  "sent_forms",
  "sessions",
  "tree_histories",
  "webhook_deliveries",
])

/** Opens a backup to take single repositories out of it. Its rows are loaded into a database for the time of the work, and brought to this version: so backups of earlier versions will do. */
export async function withSource<R>(
  backups: Backups,
  snapshot: Snapshot,
  progress: (state: string) => void,
  work: (source: Source) => Promise<R>,
): Promise<R> {
  requireKnown(snapshot)
  const folder = await mkdtemp(join(tmpdir(), "hearth-source-"))
  const url = `sqlite:${join(folder, "rows.db")}`
  try {
    const target = await openLoadable({ url, progress })
    try {
      await target.migrateTo(snapshot.schema.step)
      const dump = dumpIn(backups, snapshot)
      await loadDump(target, { ...dump, tables: dump.tables.filter(({ shape }) => !LEFT_OUT.has(shape.name)) }, { progress })
      await target.migrateTo()
    } finally {
      await target.close()
    }
    const database = await openDatabase({ url })
    try {
      return await work(sourceOf(backups, snapshot, database.read))
    } finally {
      await database.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function sourceOf(backups: Backups, snapshot: Snapshot, db: Source["db"]): Source {
  const { reader } = backups
  let files: Promise<ReadonlyMap<string, readonly string[]>> | undefined
  return {
    db,
    async git(storage) {
      for await (const text of readLines(reader, snapshot.repositories.chunks)) {
        const line = readLine(RepositoryLine, text, isRepositoryLine)
        if (line.key === storage) return { ...line, packs: line.packs.map(({ chunks }) => readBytes(reader, chunks)) }
      }
      return undefined
    },
    async file(key) {
      files ??= readFiles(backups, snapshot)
      const chunks = (await files).get(key)
      return chunks && readBytes(reader, chunks)
    },
  }
}

/** What repositories have of large files. */
async function readFiles({ reader }: Backups, snapshot: Snapshot): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  for await (const text of readLines(reader, snapshot.files.chunks)) {
    const { key, chunks } = readLine(FileLine, text, isFileLine)
    if (/^(attachments|lfs)\//.test(key)) found.set(key, chunks)
  }
  return found
}
