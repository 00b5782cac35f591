import { createHash } from "node:crypto"
import { type RawBuilder, sql } from "kysely"
import { nextTurn } from "../../work.ts"
import type { AnyHandle, ColumnShape, TableShape } from "./shapes.ts"

/** Rows as lines of JSON: an array of the values, in the order of the columns' names. Bytes are base64. */

export type Row = Readonly<Record<string, unknown>>

/** Rows of one query: more of small ones, so that neither memory nor time of a page grows without bound. */
const FEWEST = 50
const MOST = 1_000
const SMALL_PAGE = 2 ** 18
const LARGE_PAGE = 2 ** 22

/** Values that mean something to one database alone: see core/events/log.ts. */
const OF_ONE_DATABASE: Readonly<Record<string, unknown>> = { "events.transaction_id": 0, "webhook_deliveries.event_transaction": 0 }

/** The lines of a table, without their ends, in the order of its key. */
export async function* readLines(db: AnyHandle, shape: TableShape): AsyncGenerator<string> {
  const write = lineOf(shape)
  let limit = FEWEST
  for (let after: After = { key: undefined, count: 0 }; ; ) {
    const rows = await readPage(db, shape, after, limit)
    let bytes = 0
    for (const row of rows) {
      const line = write(row)
      bytes += line.length
      yield line
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    after = {
      key: shape.key.length > 0 ? shape.key.map((column) => last[column]) : undefined,
      count: after.count + rows.length,
    }
    if (bytes < SMALL_PAGE) limit = Math.min(MOST, limit * 2)
    if (bytes > LARGE_PAGE) limit = Math.max(FEWEST, Math.floor(limit / 4))
    await nextTurn()
  }
}

async function readPage(db: AnyHandle, shape: TableShape, after: After, limit: number): Promise<readonly Row[]> {
  const { name, columns, key } = shape
  const names = sql.join(columns.map((column) => sql.ref(column.name)))
  const order = sql.join(key.length > 0 ? key.map((column) => sql.ref(column)) : columns.map(orderOf))
  const rest = after.key === undefined ? sql`` : sql` where (${order}) > (${sql.join(after.key)})`
  const skipped = key.length > 0 ? sql`` : sql` offset ${after.count}`
  const found: RawBuilder<Row> = sql<Row>`select ${names} from ${sql.table(name)}${rest} order by ${order} limit ${limit}${skipped}`
  return (await found.execute(db)).rows
}

/** Where a page begins: rows without a key are counted, since they may be there twice. */
interface After {
  readonly key: readonly unknown[] | undefined
  readonly count: number
}

/** The databases don't agree where NULL is in an order. */
const orderOf = ({ name, type }: ColumnShape): RawBuilder<unknown> =>
  type === "text" ? sql`coalesce(${sql.ref(name)}, '')` : sql`coalesce(${sql.ref(name)}, 0)`

function lineOf({ name, columns }: TableShape): (row: Row) => string {
  const values = columns.map((column): ((row: Row) => unknown) => {
    const fixed = OF_ONE_DATABASE[`${name}.${column.name}`]
    if (fixed !== undefined) return () => fixed
    return column.type === "bytes" ? (row) => asText(row[column.name]) : (row) => row[column.name]
  })
  return (row) => JSON.stringify(values.map((value) => value(row)))
}

const asText = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") : value

/** A line that no row was made of. */
export class LineBroken extends Error {
  constructor(table: string) {
    super(`a line of the table ${table} can't be read`)
    this.name = "LineBroken"
  }
}

/** The values of a line, as a database takes them. Throws {@link LineBroken}. */
export function valuesOf(line: string, table: string, columns: readonly ColumnShape[]): readonly unknown[] {
  let values: unknown
  try {
    values = JSON.parse(line)
  } catch {
    throw new LineBroken(table)
  }
  if (!Array.isArray(values) || values.length !== columns.length) throw new LineBroken(table)
  return values.map((value: unknown, index) => {
    if (value === null) return null
    const type = columns[index]?.type
    if (type === "text" && typeof value === "string") return value
    if (type === "bytes" && typeof value === "string") return Buffer.from(value, "base64")
    if ((type === "integer" || type === "real") && typeof value === "number") return value
    throw new LineBroken(table)
  })
}

/** How many rows a table has, and the SHA-256 of their lines. */
export interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

/** Counts and digests lines that pass. */
export function digesting(): { readonly add: (line: string) => void; readonly digest: () => TableDigest } {
  const hash = createHash("sha256")
  let rows = 0
  return {
    add(line) {
      rows += 1
      hash.update(line).update("\n")
    },
    digest: () => ({ rows, sha256: hash.digest("hex") }),
  }
}

/** Reads a whole table for its digest. */
export async function digestTable(db: AnyHandle, shape: TableShape): Promise<TableDigest> {
  const { add, digest } = digesting()
  for await (const line of readLines(db, shape)) add(line)
  return digest()
}
