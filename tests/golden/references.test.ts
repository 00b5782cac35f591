import { DatabaseSync } from "node:sqlite"
import { expect, it } from "vitest"
import { openDatabase } from "../../src/core/database/open.ts"
import { freshUrl } from "../support/database.ts"

/**
 * Whenever a row is deleted, the database looks for rows that refer to it. Without an index that begins with the reference it scans the
 * table each time, which is not noticed until the table is large.
 */
it("finds what refers to a row by an index", async () => {
  const fresh = await freshUrl("sqlite")
  await (await openDatabase({ url: fresh.url })).close()
  const native = new DatabaseSync(fresh.url.slice("sqlite:".length))
  const all = (text: string, table: string) => native.prepare(text).all(table)
  const tables = native.prepare("select name from pragma_table_list where schema = 'main' and type = 'table'").all()
  const missing = tables.flatMap(({ name }) => {
    const table = String(name)
    const indexed = all("select i.name from pragma_index_list(?) l join pragma_index_info(l.name) i where i.seqno = 0", table)
    const key = all("select name from pragma_table_info(?) where pk = 1", table)
    const first = new Set([...indexed, ...key].map((column) => column["name"]))
    return all('select "from" as name from pragma_foreign_key_list(?)', table).flatMap((reference) =>
      first.has(reference["name"]) ? [] : [`${table}.${reference["name"]}`],
    )
  })
  native.close()
  await fresh.drop()
  expect(missing).toEqual([])
})
