import { Client, types } from "pg"
import { SourceRefused } from "./layout.ts"
import { queryOf, type Source } from "./reader.ts"
import type { SourceRow } from "./row.ts"

const SECONDS_TO_CONNECT = 15
const SECONDS_OF_A_QUERY = 600
const INT8 = 20

/** Opens a PostgreSQL for reading: one transaction, which sees one moment of all tables. Throws {@link SourceRefused}. */
export async function openPostgres(url: string, schema: string): Promise<Source> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: SECONDS_TO_CONNECT * 1000,
    query_timeout: SECONDS_OF_A_QUERY * 1000,
    application_name: "hearth takeover",
    types: {
      getTypeParser: (id: number, format?: "text" | "binary") => (id === INT8 ? Number : types.getTypeParser(id, format)),
    },
  })
  // Without a listener a lost connection would end the process; the next query fails with it.
  client.on("error", () => {})
  try {
    await client.connect()
    await client.query("begin transaction isolation level repeatable read read only")
    await client.query(`set local search_path to "${schema.replaceAll('"', '""')}"`)
  } catch (error) {
    await client.end().catch(() => {})
    throw new SourceRefused(
      `The database of the old server can't be opened: ${error instanceof Error ? error.message : String(error)}.`,
      "Check [database] of app.ini, or give --database postgres://user:password@host/name.",
      error,
    )
  }
  return {
    async columns(table) {
      const { rows } = await client.query<{ column_name: string }>(
        "select column_name from information_schema.columns where table_schema = $1 and table_name = $2",
        [schema, table],
      )
      return rows.length === 0 ? undefined : new Set(rows.map(({ column_name }) => column_name))
    },
    async page(wanted, after, limit) {
      const { rows } = await client.query<SourceRow>(`${queryOf(wanted, (name) => `"${name}"`, "$1")}$2`, [after, limit])
      return rows
    },
    close: () => client.end(),
  }
}
