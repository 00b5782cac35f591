import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"
import { keepTotals } from "./totals.ts"

/** How many branches and tags a repository has is known without counting them. */
export const referenceTotals = { id: 42, name: "reference_totals", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  for (const [rows, totals] of [
    ["branches", "branch_totals"],
    ["tags", "tag_totals"],
  ] as const) {
    const key = ["repository_id"]
    await table(totals, { repository_id: "reference", total: "integer" }, { repository_id: "repositories" }, key)
    await sql`insert into ${sql.table(totals)} (repository_id, total) select repository_id, count(*) from ${sql.table(rows)} group by repository_id`.execute(
      db,
    )
    await keepTotals(db, types, { table: rows, totals, key })
  }
}
