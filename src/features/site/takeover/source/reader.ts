import type { SourceRow } from "./row.ts"

/** What is read: rows of a table, named `x`, in the order of a key. */
export interface Wanted {
  readonly table: string
  /** A whole number that no two rows share: a column, or an expression. */
  readonly key: string
  /** Columns of other tables, and how these are joined. */
  readonly columns?: string | undefined
  readonly join?: string | undefined
}

/** The database of the old server, which is only read. */
export interface Source {
  /** The columns of a table; undefined where there is no such table. */
  readonly columns: (table: string) => Promise<ReadonlySet<string> | undefined>
  /** Rows whose key is above `after`, in its order; each has its key as `source_key`. */
  readonly page: (wanted: Wanted, after: number, limit: number) => Promise<readonly SourceRow[]>
  readonly close: () => Promise<void>
}

/** The text of a query, for a database whose names stand in such quotes. */
export function queryOf({ table, key, columns, join }: Wanted, quote: (name: string) => string, place: string): string {
  const quoted = (sql: string) => sql.replace(/\[(\w+)\]/g, (_, name: string) => quote(name))
  const more = columns === undefined ? "" : `, ${quoted(columns)}`
  return `select x.*, ${quoted(key)} as source_key${more} from ${quote(table)} x ${quoted(join ?? "")} where ${quoted(key)} > ${place} order by ${quoted(key)} limit `
}
