/** Rows that are read by one query. */
const BATCH = 200

/** All rows of a table, or of a part of it, in the order of their ids, for tasks that do something with each: `read` finds those after an id, so that what changes meanwhile skips none. */
export async function* rowsById<Row extends { readonly id: number }>(
  read: (range: { readonly after: number; readonly limit: number }) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const rows = await read({ after, limit: BATCH })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = last.id
  }
}
