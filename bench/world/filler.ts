import { DatabaseSync } from "node:sqlite"
import pg from "pg"

export type Value = string | number | null
/** A row as the values of the columns, in their order. */
export type Row = readonly Value[]

/** Writes rows straight into the tables of a server that is not running. */
export interface Filler {
  /** In batches; `rows` is read as it is written. */
  readonly insert: (table: string, columns: readonly string[], rows: Iterable<Row>) => Promise<void>
  readonly run: (sql: string) => Promise<void>
  readonly numberOf: (sql: string) => Promise<number>
  /** Everything is stored, and the planner knows of it. */
  readonly finish: () => Promise<void>
}

const BATCH = 2000

export const openFiller = (databaseUrl: string): Promise<Filler> =>
  databaseUrl.startsWith("sqlite:") ? openSqlite(databaseUrl.slice("sqlite:".length)) : openPostgres(databaseUrl)

async function openSqlite(path: string): Promise<Filler> {
  const db = new DatabaseSync(path)
  // Nothing of it must survive a power cut: it is made anew instead.
  db.exec("pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -1000000; pragma foreign_keys = off; begin")
  return {
    insert: async (table, columns, rows) => {
      const values = columns.map((_, index) => `value ->> ${index}`).join(", ")
      const statement = db.prepare(`insert into ${table} (${columns.join(", ")}) select ${values} from json_each(?)`)
      for (const batch of batches(rows)) statement.run(JSON.stringify(batch))
    },
    run: async (sql) => db.exec(sql),
    numberOf: async (sql) => Number(Object.values(db.prepare(sql).get() ?? {})[0]),
    finish: async () => {
      db.exec("commit; pragma journal_mode = wal")
      db.close()
    },
  }
}

async function openPostgres(url: string): Promise<Filler> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query("set synchronous_commit = off; set work_mem = '256MB'; set maintenance_work_mem = '1GB'; begin")
  return {
    insert: async (table, columns, rows) => {
      const names = columns.join(", ")
      const text = `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1::json)`
      for (const batch of batches(rows)) {
        const records = batch.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
        await client.query({ name: table, text, values: [JSON.stringify(records)] })
      }
    },
    run: async (sql) => {
      await client.query(sql)
    },
    numberOf: async (sql) => Number(Object.values((await client.query(sql)).rows[0] ?? {})[0]),
    finish: async () => {
      const { rows } = await client.query(
        `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'id' and is_identity = 'YES'`,
      )
      for (const { name } of rows)
        await client.query(`select setval(pg_get_serial_sequence('${name}', 'id'), greatest((select max(id) from ${name}), 1))`)
      await client.query("commit")
      await client.query("vacuum analyze")
      await client.end()
    },
  }
}

function* batches(rows: Iterable<Row>): Generator<readonly Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
