import { type QueryExecutorProvider, type RawBuilder, sql } from "kysely"
import type { Database } from "../database.ts"
import { slicesOf } from "../slices.ts"
import type { Row } from "./rows.ts"
import { type AnyHandle, type FoundTable, readReferences, readShapes, type TableShape } from "./shapes.ts"

/** A part of a database, such as all that belongs to one repository, taken out of one and put into another, where its rows get other ids. */

/** Which rows of a table belong to a part, and what their columns mean that foreign keys don't tell. */
export interface PartRule {
  readonly table: string
  /** The column that leads to a row that belongs to it, and the table of that row. */
  readonly by: readonly [column: string, table: string]
  /** Columns with ids of accounts, or with 0 or less. */
  readonly people?: readonly string[]
  /** Columns with ids of other rows, or 0. */
  readonly refs?: Readonly<Record<string, string>>
  /** Rows are left out where one of these leads to what is not in the part. A column that must not be empty is always such a one. */
  readonly needs?: readonly string[]
  /** What is written in the place of what is there. */
  readonly fixed?: Readonly<Record<string, unknown>>
}

/** New ids by old ones, by table. */
export type Ids = Map<string, Map<number, number>>

export interface PutOptions {
  readonly from: AnyHandle
  readonly to: Pick<Database, "read" | "write">
  readonly rules: readonly PartRule[]
  /** The rows that are there already; those that are put are added. */
  readonly ids: Ids
  /** The ids of accounts there, by theirs here; who is missing is not there. */
  readonly people: ReadonlyMap<number, number>
  /** The id that stands for accounts that are not there, where it need not lead to a row. */
  readonly nobody: number
  readonly change?: (table: string, row: Row, old: Row) => Row
  readonly progress?: (state: string) => void
}

/** Parents that are asked about at once, and rows that are put by one transaction. */
const AT_ONCE = 200

/** Puts the rows that belong to a part, in transactions of a few rows, so that others have their turn. Gives how many, by table. */
export async function putPart(options: PutOptions): Promise<ReadonlyMap<string, number>> {
  const { from, to, rules, ids, progress = () => {} } = options
  const shapes = new Map((await readShapes(to.read)).map((shape) => [shape.name, shape]))
  const references = Map.groupBy(await readReferences(to.read), ({ table }) => table)
  const counts = new Map<string, number>()
  for (const rule of rules) {
    const shape = shapes.get(rule.table)
    if (!shape) throw new Error(`There is no table ${rule.table}.`)
    const putting = { options, rule, shape, foreign: references.get(rule.table) ?? [], later: [] }
    let count = 0
    for (const parents of chunked([...(ids.get(rule.by[1])?.keys() ?? [])], AT_ONCE))
      for await (const rows of pagesOf(from, rule, shape, parents)) {
        count += await putRows(putting, rows)
        progress(`${count} rows of ${rule.table}`)
      }
    await putLater(putting)
    counts.set(rule.table, count)
  }
  return counts
}

interface Later {
  readonly id: number
  readonly column: string
  /** The old id. */
  readonly target: number
}

interface Putting {
  readonly options: PutOptions
  readonly rule: PartRule
  readonly shape: FoundTable
  readonly foreign: readonly { readonly column: string; readonly target: string }[]
  /** Columns that lead to rows of the same table, which may come later. */
  readonly later: Later[]
}

/** The rows of some parents, a page at a time, in the order of their key. */
export async function* pagesOf(
  from: AnyHandle,
  { table, by: [column] }: Pick<PartRule, "table" | "by">,
  { columns, key }: TableShape,
  parents: readonly number[],
): AsyncGenerator<readonly Row[]> {
  const names = sql.join(columns.map(({ name }) => sql.ref(name)))
  const order = sql.join((key.length > 0 ? key : columns.map(({ name }) => name)).map((name) => sql.ref(name)))
  for (let offset = 0; ; offset += AT_ONCE) {
    const page: RawBuilder<Row> = sql<Row>`
      select ${names} from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(parents)}) order by ${order} limit ${AT_ONCE} offset ${offset}`
    const { rows } = await page.execute(from)
    if (rows.length > 0) yield rows
    if (rows.length < AT_ONCE) return
  }
}

async function putRows(putting: Putting, rows: readonly Row[]): Promise<number> {
  const { options, rule, shape } = putting
  const ready = rows.flatMap((row) => {
    const mapped = mapRow(putting, row)
    return mapped ? [{ old: row, row: options.change?.(rule.table, mapped, row) ?? mapped }] : []
  })
  const hasId = shape.columns.some(({ name }) => name === "id")
  const columns = shape.columns.map(({ name }) => name).filter((name) => name !== "id")
  const into = sql`insert into ${sql.table(shape.name)} (${sql.join(columns.map((name) => sql.ref(name)))}) values `
  const made = await options.to.write(async (tx) => {
    if (!hasId) {
      for (const slice of slicesOf(ready)) await sql`${into} ${sql.join(slice.map(({ row }) => valuesOf(row, columns)))}`.execute(tx)
      return []
    }
    const found: number[] = []
    for (const { row } of ready) {
      const given: RawBuilder<{ readonly id: number }> = sql`${into} ${valuesOf(row, columns)} returning id`
      found.push((await given.execute(tx)).rows[0]?.id ?? 0)
    }
    return found
  })
  const map = options.ids.get(shape.name) ?? new Map<number, number>()
  options.ids.set(shape.name, map)
  for (const [index, id] of made.entries()) {
    const old = ready[index]?.old
    map.set(Number(old?.["id"]), id)
    for (const { column, target } of putting.foreign)
      if (target === shape.name && old?.[column] !== null) putting.later.push({ id, column, target: Number(old?.[column]) })
  }
  return ready.length
}

const valuesOf = (row: Row, columns: readonly string[]): RawBuilder<unknown> => sql`(${sql.join(columns.map((name) => row[name]))})`

/** The row with the ids that it has there; undefined where something that it needs is not there. */
function mapRow({ options, rule, shape, foreign }: Putting, row: Row): Row | undefined {
  const { ids, people, nobody } = options
  const mapped: Record<string, unknown> = { ...row, ...rule.fixed }
  for (const { column, target } of foreign) {
    const old = row[column]
    if (old === null || column in (rule.fixed ?? {})) continue
    if (target === shape.name) {
      mapped[column] = null
      continue
    }
    const id = target === "users" ? people.get(Number(old)) : ids.get(target)?.get(Number(old))
    if (id === undefined && (rule.needs?.includes(column) || !isNullable(shape, column))) return undefined
    mapped[column] = id ?? null
  }
  for (const column of rule.people ?? []) {
    const old = Number(row[column])
    if (old > 0) mapped[column] = people.get(old) ?? nobody
  }
  for (const [column, target] of Object.entries(rule.refs ?? {})) {
    const old = Number(row[column] ?? 0)
    if (old > 0) mapped[column] = ids.get(target)?.get(old) ?? 0
  }
  return mapped
}

const isNullable = ({ nullable }: FoundTable, column: string): boolean => nullable.includes(column)

async function putLater({ options, shape, later }: Putting): Promise<void> {
  const map = options.ids.get(shape.name)
  for (const batch of chunked(later, AT_ONCE))
    await options.to.write(async (tx) => {
      for (const { id, column, target } of batch) {
        const there = map?.get(target)
        if (there !== undefined) await put(tx, shape.name, id, column, there)
      }
    })
}

const put = (tx: QueryExecutorProvider, table: string, id: number, column: string, value: number) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where id = ${id}`.execute(tx)

function* chunked<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
