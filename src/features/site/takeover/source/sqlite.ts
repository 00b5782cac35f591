import { copyFile, rm, stat } from "node:fs/promises"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { hasCode } from "../../../../git/model/errors.ts"
import { SourceRefused } from "./layout.ts"
import { queryOf, type Source } from "./reader.ts"
import type { SourceRow } from "./row.ts"

const TRIES = 5

/**
 * Opens a SQLite file without writing beside it. Where a program works on it, or left a journal, it is copied first: reading a journal in place would write.
 * Throws {@link SourceRefused}.
 */
export async function openSqlite(file: string, copy: string): Promise<Source> {
  const journals = await Promise.all(["-wal", "-journal"].map((ending) => sizeOf(`${file}${ending}`)))
  const isCopied = journals.some((size) => size > 0)
  if (isCopied) await copyWhole(file, copy)
  const remove = async () => {
    if (isCopied) for (const ending of ["", "-wal", "-shm", "-journal"]) await rm(`${copy}${ending}`, { force: true })
  }
  try {
    return sourceOf(open(file, isCopied ? copy : undefined), remove)
  } catch (error) {
    await remove()
    throw error
  }
}

function open(file: string, copy: string | undefined): DatabaseSync {
  const url = pathToFileURL(file)
  url.searchParams.set("immutable", "1")
  try {
    return copy === undefined ? new DatabaseSync(url, { readOnly: true }) : new DatabaseSync(copy)
  } catch (error) {
    throw new SourceRefused(`${file} can't be opened as a SQLite database.`, "Name the right one with --database sqlite:/path.", error)
  }
}

function sourceOf(db: DatabaseSync, remove: () => Promise<void>): Source {
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known) return known
    const made = db.prepare(sql)
    statements.set(sql, made)
    return made
  }
  return {
    async columns(table) {
      const rows = prepared("select name from pragma_table_info(?)").all(table)
      return rows.length === 0 ? undefined : new Set(rows.map(({ name }) => String(name)))
    },
    async page(wanted, after, limit) {
      const statement = prepared(`${queryOf(wanted, (name) => `"${name}"`, "?")}?`)
      return rowsOf(statement, after, limit)
    },
    async close() {
      db.close()
      await remove()
    },
  }
}

/** Rows; those of a table with numbers that are no safe integers, such as nanoseconds, have all whole numbers as bigint. */
function rowsOf(statement: StatementSync, after: number, limit: number): readonly SourceRow[] {
  try {
    return statement.all(after, limit)
  } catch (error) {
    if (!hasCode(error, "ERR_OUT_OF_RANGE")) throw error
    statement.setReadBigInts(true)
    return statement.all(after, limit)
  }
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Size and time of a file, which differ once it was written to. */
const stateOf = (path: string): Promise<string> =>
  stat(path, { bigint: true }).then(
    ({ size, mtimeNs }) => `${size} ${mtimeNs}`,
    () => "",
  )

const ENDINGS = ["", "-wal", "-journal"] as const

async function copyWhole(file: string, copy: string): Promise<void> {
  const states = () => Promise.all(ENDINGS.map((ending) => stateOf(`${file}${ending}`)))
  for (let tries = 1; tries <= TRIES; tries++) {
    const before = await states()
    for (const [index, ending] of ENDINGS.entries()) {
      await rm(`${copy}${ending}`, { force: true })
      if (before[index] !== "") await copyFile(`${file}${ending}`, `${copy}${ending}`)
    }
    if ((await states()).join() === before.join()) return
  }
  throw new SourceRefused(
    `${file} is written to so often that it can't be copied whole.`,
    "Stop the old server, or give --database a copy that was made with sqlite3 .backup.",
  )
}
