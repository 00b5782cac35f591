import { existsSync } from "node:fs"
import type { Config } from "../core/config.ts"
import type { Database } from "../core/database/database.ts"
import { type Loadable, openLoadable } from "../core/database/loadable.ts"
import { openDatabase } from "../core/database/open.ts"
import { dumpOf } from "../core/database/portable/dump.ts"
import { type Dump, differences, finish, isOccupied, loadDump } from "../core/database/portable/load.ts"
import { lockForServer } from "../core/database/server-lock.ts"
import { countServers } from "../core/database/servers.ts"
import { placeOfRepositories } from "../features/code/lifecycle/place.ts"
import { CommandFailed, DONE, type ExitCode } from "./failure.ts"
import type { Terminal } from "./terminal.ts"

const isFile = (url: string): string | undefined => /^sqlite:(?:\/\/(?=\/))?(\/.+)$/.exec(url)?.[1]

/** Copies all rows of the database of the settings into another one. */
export async function moveDatabase(terminal: Terminal, config: Config, to: string): Promise<ExitCode> {
  const from = config.databaseUrl
  if (!/^(sqlite:\/|postgres(ql)?:\/\/)/.test(to))
    throw new CommandFailed(
      "It is not said which database to move to.",
      "Give --to sqlite:/path/hearth.db or --to postgres://user@host/name.",
    )
  if (from === to) throw new CommandFailed("Both databases are the same.", "Give another one with --to. Nothing was changed.")
  const file = isFile(from)
  if (file !== undefined && !existsSync(file))
    throw new CommandFailed(`There is no database: ${file} is missing.`, "Name the right folder with --data-dir.")
  // A server would write to the one while the other is filled.
  const unlock = lockForServer(from)
  try {
    const source = await openDatabase({ url: from, progress: terminal.progress })
    try {
      await requireMovable(source, to)
      const target = await openLoadable({ url: to, progress: terminal.progress })
      try {
        return await source.snapshot(async (read) => copy(terminal, await dumpOf(read), target))
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  } finally {
    unlock?.()
  }
}

async function requireMovable(source: Database, to: string): Promise<void> {
  const servers = await countServers(source)
  if (servers > 0) throw new CommandFailed("A server works with this database.", "Stop all servers first. Nothing was changed.")
  if (isFile(to) !== undefined && (await placeOfRepositories(source.read)) === "store")
    throw new CommandFailed(
      "Repositories are in PostgreSQL and the object store, which SQLite has no part in.",
      "Move them to the data folder first: hearth storage move --to folder --switch. Nothing was changed.",
    )
}

async function copy(terminal: Terminal, dump: Dump, target: Loadable): Promise<ExitCode> {
  await target.migrateTo()
  const isThere = await isOccupied(target.read)
  if (isThere) {
    const different = await differences(target.read, dump)
    if (different.length > 0)
      throw new CommandFailed(
        `The other database is not empty, and has other rows: ${different.slice(0, 5).join(", ")}.`,
        "Nothing was changed. Give an empty database.",
      )
  } else {
    await loadDump(target, dump, { progress: terminal.progress })
    await finish(target)
  }
  terminal.progress("")
  const rows = dump.tables.reduce((sum, { digest }) => sum + digest().rows, 0)
  terminal.out(`${rows} rows in ${dump.tables.length} tables are the same in both databases${isThere ? ", as they were before" : ""}.`)
  terminal.out("Set HEARTH_DATABASE_URL to the new one, and start. Keep the old one until all is well: nothing was removed from it.")
  return DONE
}
