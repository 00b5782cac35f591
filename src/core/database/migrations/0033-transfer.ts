import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Where issues were before they were transferred, and why they were closed. */
export const transfer = { id: 33, name: "transfer", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "moved_issues",
    { repository_id: "reference", number: "integer", issue_id: "reference", moved_at: "time" },
    { repository_id: "repositories", issue_id: "issues" },
    ["repository_id", "number"],
  )
  await index("moved_issues_issue", "moved_issues", ["issue_id"])
  for (const closed of ["issues", "comments"]) {
    await db.schema
      .alterTable(closed)
      .addColumn("close_reason", types.text, (column) => column.notNull().defaultTo(""))
      .execute()
    await db.schema
      .alterTable(closed)
      .addColumn("duplicate_of_id", types.integer, (column) => column.references("issues.id").onDelete("set null"))
      .execute()
    await sql`create index ${sql.ref(`${closed}_duplicate`)} on ${sql.ref(closed)} (duplicate_of_id) where duplicate_of_id is not null`.execute(
      db,
    )
  }
}
