import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Imports that wait for their turn and are repeated, and who may still take over what they have brought. */
export const importRuns = { id: 48, name: "import-runs", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  for (const column of ["host", "name"])
    await db.schema
      .alterTable("imports")
      .addColumn(column, types.text, (c) => c.notNull().defaultTo(""))
      .execute()
  for (const [column, type] of [
    ["begun_at", types.time],
    ["owner_id", types.integer],
    ["is_private", types.flag],
  ] as const)
    await db.schema
      .alterTable("imports")
      .addColumn(column, type, (c) => c.notNull().defaultTo(0))
      .execute()
  await index("imports_doer", "imports", ["doer_id", "id"])
  await sql`create index imports_unfinished on imports (doer_id, id) where phase in ('queued', 'git', 'records')`.execute(db)
  // Whose a text is that nobody here has taken over yet.
  await db.schema
    .alterTable("imported_items")
    .addColumn("person_id", types.integer, (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`create index imported_items_person on imported_items (person_id) where person_id > 0`.execute(db)
  await table(
    "imported_reactions",
    { person_id: "reference", issue_id: "reference", comment_id: "integer", content: "text", created_at: "time" },
    { person_id: "imported_people", issue_id: "issues" },
    ["person_id", "issue_id", "comment_id", "content"],
  )
  await index("imported_reactions_issue", "imported_reactions", ["issue_id"])
}
