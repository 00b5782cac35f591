import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** The versions of texts that were edited, and the replies that people have saved. */
export const texts = { id: 32, name: "texts", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "text_versions",
    {
      id: "id",
      issue_id: "reference",
      comment_id: "owned?",
      number: "integer",
      content: "text",
      author_id: "integer",
      written_at: "time",
      deleted_by: "integer",
      deleted_at: "time",
    },
    { issue_id: "issues", comment_id: "comments" },
  )
  await index("text_versions_issue", "text_versions", ["issue_id", "comment_id", "number"])
  // For the deletion of comments.
  await sql`create index text_versions_comment on text_versions (comment_id) where comment_id is not null`.execute(db)

  await table("saved_replies", { id: "id", user_id: "reference", name: "text", content: "text" }, { user_id: "users" })
  await index("saved_replies_user", "saved_replies", ["user_id"])
}
