import { type QueryExecutorProvider, sql } from "kysely"
import { UNFINISHED_TABLE } from "../migrate.ts"
import { sessionOf } from "../session.ts"

/** The tables of a database as they are, in terms that both kinds of database have. */

/** A handle, whatever tables it is for: those of an earlier version too. */
export type AnyHandle = QueryExecutorProvider

export type ValueType = "integer" | "real" | "text" | "bytes"

export interface ColumnShape {
  readonly name: string
  readonly type: ValueType
}

export interface TableShape {
  readonly name: string
  /** In the order of their names, which is the same in both kinds of database. */
  readonly columns: readonly ColumnShape[]
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[]
}

/** A table that is there. */
export interface FoundTable extends TableShape {
  /** The columns that may be empty. */
  readonly nullable: readonly string[]
}

/** What databases or tasks make of other rows by themselves: it is not dumped. Code is indexed anew by the task `index_code`. */
const DERIVED: ReadonlySet<string> = new Set([
  "schema_versions",
  "event_logs",
  "activity_totals",
  "notification_totals",
  "project_card_totals",
  "issue_totals",
  "placed_comments",
  "comment_totals",
  "repository_totals",
  "branch_totals",
  "tag_totals",
  "code_blobs",
  "code_files",
  "code_grams",
  "code_indexes",
])

/** What triggers of other tables read: filled first, in this order. */
const FIRST: readonly string[] = ["users", "repositories", "issues"]

interface Found {
  readonly table: string
  readonly column: string
  readonly type: string
  /** The place in the primary key, from 1; 0 for none. */
  readonly key: number
  readonly required: number
}

const TYPES: Readonly<Record<string, ValueType>> = {
  INTEGER: "integer",
  REAL: "real",
  TEXT: "text",
  BLOB: "bytes",
  int2: "integer",
  int4: "integer",
  int8: "integer",
  float8: "real",
  text: "text",
  bytea: "bytes",
}

/** The tables that a dump has, in the order in which they are filled. Throws for a column of a type that dumps don't have. */
export async function readShapes(db: AnyHandle): Promise<readonly FoundTable[]> {
  const found = await (sessionOf(db).kind === "sqlite" ? findInSqlite(db) : findInPostgres(db))
  const tables = Map.groupBy(
    found.filter(({ table }) => !DERIVED.has(table) && table !== UNFINISHED_TABLE),
    ({ table }) => table,
  )
  return [...tables]
    .map(([name, columns]) => ({
      name,
      columns: columns.map(({ column, type }) => ({ name: column, type: typeOf(name, type) })).toSorted(byName),
      key: columns
        .filter(({ key }) => key > 0)
        .toSorted((a, b) => a.key - b.key)
        .map(({ column }) => column),
      nullable: columns.filter(({ required }) => !required).map(({ column }) => column),
    }))
    .toSorted((a, b) => placeOf(a) - placeOf(b) || byName(a, b))
}

const placeOf = ({ name }: { readonly name: string }): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1)

function typeOf(table: string, type: string): ValueType {
  const known = TYPES[type]
  if (known === undefined) throw new Error(`The table ${table} has a column of the type ${type}, which a dump can't have.`)
  return known
}

const findInSqlite = async (db: AnyHandle): Promise<readonly Found[]> =>
  (
    await sql<Found>`
      select list.name as "table", info.name as "column", upper(info.type) as type, info.pk as key, info."notnull" as required
      from pragma_table_list as list, pragma_table_info(list.name) as info
      where list.schema = 'main' and list.type = 'table' and list.name not like 'sqlite\\_%' escape '\\'`.execute(db)
  ).rows

const findInPostgres = async (db: AnyHandle): Promise<readonly Found[]> =>
  (
    await sql<Found>`
      select pg_class.relname::text as "table", attname::text as "column", typname::text as type,
        coalesce(array_position(indkey::int[], attnum::int) + 1, 0) as key, attnotnull::int as required
      from pg_class
      inner join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      inner join pg_type on pg_type.oid = atttypid
      left join pg_index on indrelid = pg_class.oid and indisprimary
      where relkind = 'r' and pg_class.relnamespace = (select oid from pg_namespace where nspname = current_schema())`.execute(db)
  ).rows

/** The highest id that each table has ever given, by the table's name; those that gave none are left out. Ids are never given twice. */
export async function readSequences(db: AnyHandle): Promise<ReadonlyMap<string, number>> {
  const { rows } = await (sessionOf(db).kind === "sqlite"
    ? sql<{ readonly name: string; readonly last: number }>`select name, seq as last from sqlite_sequence where seq > 0`
    : sql<{ readonly name: string; readonly last: number }>`
        select regexp_replace(sequencename, '_id_seq$', '') as name, last_value as last
        from pg_sequences where schemaname = current_schema() and last_value is not null`
  ).execute(db)
  return new Map(rows.filter(({ name }) => !DERIVED.has(name)).map(({ name, last }) => [name, last]))
}

/** Which step of the migrations the tables are at. */
export async function readSchema(db: AnyHandle): Promise<number> {
  const { rows } = await sql<{ readonly id: number }>`select max(id) as id from schema_versions`.execute(db)
  return rows[0]?.id ?? 0
}

/** A column that holds the id of a row of another table, or of the same. */
export interface ColumnReference {
  readonly table: string
  readonly column: string
  readonly target: string
}

/** The foreign keys of all tables. */
export async function readReferences(db: AnyHandle): Promise<readonly ColumnReference[]> {
  const { rows } = await (sessionOf(db).kind === "sqlite"
    ? sql<ColumnReference>`
        select list.name as "table", "from" as "column", keys."table" as target
        from pragma_table_list as list, pragma_foreign_key_list(list.name) as keys
        where list.schema = 'main' and list.type = 'table'`
    : sql<ColumnReference>`
        select source.relname::text as "table", attname::text as "column", goal.relname::text as target
        from pg_constraint
        inner join pg_class as source on source.oid = conrelid
        inner join pg_class as goal on goal.oid = confrelid
        inner join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and source.relnamespace = (select oid from pg_namespace where nspname = current_schema())`
  ).execute(db)
  return rows
}
