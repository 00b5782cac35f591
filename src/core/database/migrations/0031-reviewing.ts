import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Comments on several lines, and the files of pull requests that people have viewed. */
export const reviewing = { id: 31, name: "reviewing", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await db.schema
    .alterTable("review_comments")
    .addColumn("lines", types.integer, (column) => column.notNull().defaultTo(1))
    .execute()
  await table(
    "viewed_files",
    { user_id: "reference", pull_id: "reference", path: "text", blob_id: "text" },
    { user_id: "users", pull_id: "pulls" },
    ["user_id", "pull_id", "path"],
  )
  await index("viewed_files_pull", "viewed_files", ["pull_id"])
}
