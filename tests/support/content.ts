/** The whole content of a forge, rows and folders, to be compared as one value. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import type { Database } from "../../src/core/database/database.ts"
import type { Services } from "../../src/core/services.ts"
import { wikiKey } from "../../src/features/code/repositories/wiki-place.ts"

/** Columns that change by themselves: the last use of a token, and the times of the clock. */
const PASSING: Readonly<Record<string, readonly string[]>> = { access_tokens: ["last_used_at", "last_used_address"] }
// The audit log contains attempts, whether they succeed or not; so do the counts of guesses.
const NOT_CONTENT = new Set(["schedule", "deeds", "guesses", "sign_in_addresses"])

/** Every row of every table as text, by table; of the indexes for searching texts, what they are made from. */
export async function rowsOf(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await tablesOf(database)
  const rows = database.kind === "sqlite" ? await oneByOne(database, tables) : await allAtOnce(database, tables)
  return Object.fromEntries(
    Object.entries(rows).map(([table, found]) => {
      const passing = PASSING[table]
      return [table, found.map((row) => JSON.stringify(passing ? without(row, passing) : row)).sort()]
    }),
  )
}

type Row = Readonly<Record<string, unknown>>

const without = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name)))

async function tablesOf({ kind, read }: Database): Promise<readonly string[]> {
  const text =
    kind === "sqlite"
      ? "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
      : "select tablename as name from pg_tables where schemaname = 'public'"
  const { rows } = await sql.raw<{ name: string }>(text).execute(read)
  return rows.map(({ name }) => name).filter((name) => !NOT_CONTENT.has(name))
}

async function oneByOne({ read }: Database, tables: readonly string[]): Promise<Readonly<Record<string, readonly Row[]>>> {
  const found: Record<string, readonly Row[]> = {}
  for (const table of tables) found[table] = (await sql.raw<Row>(`select * from "${table}"`).execute(read)).rows
  return found
}

async function allAtOnce({ read }: Database, tables: readonly string[]): Promise<Readonly<Record<string, readonly Row[]>>> {
  const parts = tables.map((table) => `select '${table}' as name, (select coalesce(json_agg(t), '[]') from "${table}" t) as rows`)
  const { rows } = await sql.raw<{ name: string; rows: readonly Row[] }>(parts.join(" union all ")).execute(read)
  return Object.fromEntries(rows.map((table) => [table.name, table.rows]))
}

/** The storage keys of all repositories on disk, in order. */
export async function foldersOf({ config }: Services): Promise<readonly string[]> {
  const root = join(config.dataDir, "repositories")
  const found: string[] = []
  for (const shard of await readdir(root, { withFileTypes: true }))
    if (shard.isDirectory())
      for (const name of await readdir(join(root, shard.name))) if (name.endsWith(".git")) found.push(`${shard.name}/${name.slice(0, -4)}`)
  return found.sort()
}

/** The storage keys of all repositories and wikis that have a row, in order. */
export async function storagesOf({ database }: Services): Promise<readonly string[]> {
  const repositories = await database.read.selectFrom("repositories").select(["id", "storage"]).execute()
  const wikis = new Set((await database.read.selectFrom("wikis").select("repository_id").execute()).map((row) => row.repository_id))
  return repositories.flatMap(({ id, storage }) => (wikis.has(id) ? [storage, wikiKey(storage)] : [storage])).sort()
}
