import type { Handle } from "./database.ts"
import type { PreparedQuery } from "./query.ts"
import { type Session, sessionOf } from "./session.ts"
import type { Tables } from "./tables/index.ts"

/** Rows that are kept of one query. */
const MOST = 1_000

interface Kept<Row> {
  readonly state: number
  readonly rows: Map<number, Row>
}

/**
 * Rows of a table by their ids: at most one query, none for an empty list. People, labels and the like stand in one list after another: where the state of the database is known at once,
 * a row is read once for each state. Rows that are missing are left out.
 */
export function byIds<Row extends { readonly id: number }>(
  read: PreparedQuery<{ readonly ids: readonly number[] }, Row, Tables>,
): (db: Handle, ids: Iterable<number>) => Promise<ReadonlyMap<number, Row>> {
  const keptOf = new WeakMap<Session, Kept<Row>>()

  function rowsOf(session: Session, state: number): Map<number, Row> {
    const kept = keptOf.get(session)
    if (kept?.state === state && kept.rows.size < MOST) return kept.rows
    const rows = new Map<number, Row>()
    keptOf.set(session, { state, rows })
    return rows
  }

  return async (db, ids) => {
    const distinct = new Set(ids)
    if (distinct.size === 0) return new Map()
    const session = sessionOf(db)
    const state = session.state?.()
    if (state === undefined) return new Map((await read(db, { ids: [...distinct] })).map((row) => [row.id, row]))
    const rows = rowsOf(session, state)
    const missing = [...distinct].filter((id) => !rows.has(id))
    if (missing.length > 0) for (const row of await read(db, { ids: missing })) rows.set(row.id, row)
    return new Map(
      [...distinct].flatMap((id): [number, Row][] => {
        const row = rows.get(id)
        return row === undefined ? [] : [[id, row]]
      }),
    )
  }
}

/** What belongs to each id, in the order of the rows; `of` gives an id and what stands under it. */
export function listsOf<Row, Item>(
  rows: readonly Row[],
  of: (row: Row) => readonly [number, Item | undefined],
): ReadonlyMap<number, readonly Item[]> {
  const lists = new Map<number, Item[]>()
  for (const row of rows) {
    const [id, item] = of(row)
    if (item === undefined) continue
    const list = lists.get(id)
    if (list) list.push(item)
    else lists.set(id, [item])
  }
  return lists
}
