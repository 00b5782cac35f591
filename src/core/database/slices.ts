/** A statement has a place for each value of each of its rows, of which SQLite takes 32,766 and PostgreSQL 65,535; and each length of list is a statement to prepare. */
const ROWS = 200

/** Rows in lists that a statement can insert, in their order. None where there are none. */
export function* slicesOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS) yield rows.slice(start, start + ROWS)
}
