import { SourceRefused } from "./layout.ts"
import { queryOf, type Source } from "./reader.ts"
import type { SourceRow } from "./row.ts"

/** The part of `mysql2/promise` that is used: the package is no part of Hearth. */
interface Driver {
  readonly createConnection: (options: object) => Promise<Connection>
}
interface Connection {
  readonly query: (
    options: { readonly sql: string; readonly timeout: number },
    values?: readonly unknown[],
  ) => Promise<readonly [readonly SourceRow[], unknown]>
  readonly end: () => Promise<void>
}

const MS_TO_CONNECT = 15_000
const MS_OF_A_QUERY = 600_000
/** A variable, so that nobody looks for the package before it is needed. */
const PACKAGE = "mysql2/promise"

async function loadDriver(): Promise<Driver> {
  try {
    return await import(PACKAGE)
  } catch (error) {
    throw new SourceRefused(
      "A MySQL database is read by the package mysql2, which is not installed.",
      "Install it beside Hearth with `npm install --no-save mysql2`, and run this again.",
      error,
    )
  }
}

/** Opens a MySQL or MariaDB for reading, in one transaction that sees one moment. Throws {@link SourceRefused}. */
export async function openMysql(address: string): Promise<Source> {
  const { createConnection } = await loadDriver()
  const url = new URL(address)
  const database = decodeURIComponent(url.pathname.slice(1))
  const socketPath = url.searchParams.get("socketPath")
  const query = async (connection: Connection, sql: string, values: readonly unknown[] = []) =>
    (await connection.query({ sql, timeout: MS_OF_A_QUERY }, values))[0]
  let connection: Connection
  try {
    connection = await createConnection({
      host: url.hostname,
      port: Number(url.port || "3306"),
      ...(socketPath !== null && { socketPath }),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database,
      connectTimeout: MS_TO_CONNECT,
      charset: "utf8mb4",
      supportBigNumbers: true,
    })
    await query(connection, "set session transaction isolation level repeatable read")
    await query(connection, "start transaction with consistent snapshot, read only")
  } catch (error) {
    throw new SourceRefused(
      `The database of the old server can't be opened: ${error instanceof Error ? error.message : String(error)}.`,
      "Check [database] of app.ini, or give --database mysql://user:password@host/name.",
      error,
    )
  }
  return {
    async columns(table) {
      const rows = await query(
        connection,
        "select column_name as name from information_schema.columns where table_schema = ? and table_name = ?",
        [database, table],
      )
      return rows.length === 0 ? undefined : new Set(rows.map(({ name }) => String(name)))
    },
    page: (wanted, after, limit) => query(connection, `${queryOf(wanted, (name) => `\`${name}\``, "?")}?`, [after, limit]),
    close: () => connection.end(),
  }
}
