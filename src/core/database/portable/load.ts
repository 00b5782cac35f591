import { type Kysely, type QueryExecutorProvider, sql } from "kysely"
import { DatabaseRefused } from "../failures.ts"
import type { Loadable } from "../loadable.ts"
import { UNFINISHED_TABLE } from "../migrate.ts"
import { sessionOf } from "../session.ts"
import { digestTable, type TableDigest, valuesOf } from "./rows.ts"
import { readShapes, type TableShape } from "./shapes.ts"

/** All rows of a database, from wherever they come. */
export interface Dump {
  readonly tables: readonly DumpedTable[]
  /** See `readSequences`. */
  readonly sequences: ReadonlyMap<string, number>
}

export interface DumpedTable {
  readonly shape: TableShape
  readonly lines: () => AsyncIterable<string>
  /** What its lines are; asked once they have been read. */
  readonly digest: () => TableDigest
}

/** Places for values in one statement: SQLite takes 32,766 and PostgreSQL 65,535. */
const MOST_VALUES = 30_000
const MOST_ROWS = 200
/** Bytes of a statement's values. */
const MOST_BYTES = 2 ** 22

export interface LoadOptions {
  /** Marks the database as unfinished: no server works with it until {@link finish}. */
  readonly mark?: string
  readonly progress?: (state: string) => void
}

/**
 * Fills the tables of an empty database, in one transaction: all or nothing. Reads all of it again, and compares counts and digests.
 * Throws {@link DatabaseRefused} where there are accounts already, or where what was read back is not the same.
 */
export async function loadDump(target: Loadable, dump: Dump, { mark, progress = () => {} }: LoadOptions = {}): Promise<void> {
  await target.write(async (tx) => {
    await requireEmpty(tx, dump.tables)
    const constraints = target.kind === "postgres" ? await dropForeignKeys(tx) : []
    for (const table of dump.tables) await fill(tx, table, progress)
    for (const [table, last] of dump.sequences) await putSequence(tx, table, last)
    for (const { table, name, definition } of constraints) {
      progress(`checking what ${table} refers to`)
      await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx)
    }
    for (const table of dump.tables) {
      progress(`comparing ${table.shape.name}`)
      const [wanted, found] = [table.digest(), await digestTable(tx, table.shape)]
      if (wanted.rows !== found.rows || wanted.sha256 !== found.sha256)
        throw new DatabaseRefused(
          "different",
          `The table ${table.shape.name} came out different: ${wanted.rows} rows (${wanted.sha256}) were read, ${found.rows} (${found.sha256}) are stored.`,
          "Nothing was stored. Report this with these numbers.",
        )
    }
    if (mark === undefined) return
    await sql`create table ${sql.table(UNFINISHED_TABLE)} (mark text not null)`.execute(tx)
    await sql`insert into ${sql.table(UNFINISHED_TABLE)} (mark) values (${mark})`.execute(tx)
  })
}

/** The tables that differ between a dump, which is read for that, and a database. */
export async function differences(db: QueryExecutorProvider, { tables }: Dump): Promise<readonly string[]> {
  const found: string[] = []
  for (const { shape, lines, digest } of tables) {
    for await (const _ of lines()) {
      // Only its digest is of interest.
    }
    if (JSON.stringify(await digestTable(db, shape)) !== JSON.stringify(digest())) found.push(shape.name)
  }
  return found
}

/** The mark of a database that is not whole yet; undefined where it is, or is empty. */
export async function markOf(db: QueryExecutorProvider): Promise<string | undefined> {
  const { rows } = await (sessionOf(db).kind === "sqlite"
    ? sql<{ readonly name: string }>`select name from sqlite_schema where type = 'table' and name = ${UNFINISHED_TABLE}`
    : sql<{
        readonly name: string
      }>`select tablename as name from pg_tables where schemaname = current_schema() and tablename = ${UNFINISHED_TABLE}`
  ).execute(db)
  if (rows.length === 0) return undefined
  const marks = await sql<{ readonly mark: string }>`select mark from ${sql.table(UNFINISHED_TABLE)}`.execute(db)
  return marks.rows[0]?.mark ?? ""
}

/** Lets servers work with the database, which is whole. */
export const finish = async (target: Loadable): Promise<void> => {
  await target.write(async (tx) => {
    await sql`drop table if exists ${sql.table(UNFINISHED_TABLE)}`.execute(tx)
  })
  await sql`analyze`.execute(target.read)
}

/** Whether there are accounts: whoever has begun to use a site has one. */
export const isOccupied = async (db: QueryExecutorProvider): Promise<boolean> =>
  (await sql`select 1 from users limit 1`.execute(db)).rows.length > 0

async function requireEmpty(tx: Kysely<unknown>, tables: readonly DumpedTable[]): Promise<void> {
  const shapes = new Map((await readShapes(tx)).map((shape) => [shape.name, shape]))
  for (const { shape } of tables) {
    const there = shapes.get(shape.name)
    if (JSON.stringify(there?.columns) !== JSON.stringify(shape.columns))
      throw new DatabaseRefused(
        "history",
        `The table ${shape.name} has other columns than what is to be loaded.`,
        "Use a database that is empty, and the version of Hearth that wrote the rows or a newer one.",
      )
  }
  if (await isOccupied(tx))
    throw new DatabaseRefused(
      "occupied",
      "The database is not empty: there are accounts in it.",
      "Nothing was changed. Give an empty database, or move this one away.",
    )
  // What migrations make by themselves comes with the dump.
  for (const { shape } of tables) await sql`delete from ${sql.table(shape.name)}`.execute(tx)
}

async function fill(tx: Kysely<unknown>, { shape, lines }: DumpedTable, progress: (state: string) => void): Promise<void> {
  const { name, columns } = shape
  const into = sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column.name)))})`
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / columns.length)))
  let [batch, bytes, rows]: [(readonly unknown[])[], number, number] = [[], 0, 0]
  const put = async (): Promise<void> => {
    if (batch.length === 0) return
    await sql`${into} values ${sql.join(batch.map((values) => sql`(${sql.join(values)})`))}`.execute(tx)
    rows += batch.length
    batch = []
    bytes = 0
    progress(`${rows} rows of ${name}`)
  }
  for await (const line of lines()) {
    batch.push(valuesOf(line, name, columns))
    bytes += line.length
    if (batch.length >= most || bytes >= MOST_BYTES) await put()
  }
  await put()
}

async function putSequence(tx: Kysely<unknown>, table: string, last: number): Promise<void> {
  if (sessionOf(tx).kind === "postgres") {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last})`.execute(tx)
    return
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(tx)
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(tx)
}

interface Constraint {
  readonly table: string
  readonly name: string
  readonly definition: string
}

/** Rows refer to each other in circles, so that no order of tables would do. Made again, the constraints check all rows at once. */
async function dropForeignKeys(tx: Kysely<unknown>): Promise<readonly Constraint[]> {
  const { rows } = await sql<Constraint>`
    select relname::text as "table", conname::text as name, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint inner join pg_class on pg_class.oid = conrelid
    where contype = 'f' and pg_class.relnamespace = (select oid from pg_namespace where nspname = current_schema())
    order by relname, conname`.execute(tx)
  for (const { table, name } of rows) await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  return rows
}
