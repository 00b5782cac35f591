import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Changes that keep an identity while their commits are rewritten, on top of each other, and the versions of pull requests. */
export const stacks = { id: 53, name: "stacks", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await db.schema
    .alterTable("pulls")
    .addColumn("stands_on", types.text, (c) => c.notNull().defaultTo(""))
    .execute()
  await table(
    "stacked_changes",
    { pull_id: "reference", change_id: "text", below_id: "reference?", note: "text" },
    { pull_id: "pulls", below_id: "pulls" },
    ["pull_id"],
  )
  await index("stacked_changes_below", "stacked_changes", ["below_id"])
  await table(
    "pull_versions",
    { pull_id: "reference", number: "integer", head_id: "text", base_id: "text", pusher_id: "integer", created_at: "time" },
    { pull_id: "pulls" },
    ["pull_id", "number"],
  )
}
