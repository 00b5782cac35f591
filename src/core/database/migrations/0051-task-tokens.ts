import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Tokens for one task, what they did, and what they made. */
export const taskTokens = { id: 51, name: "task-tokens", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  for (const [rows, column, type, initial] of [
    ["access_tokens", "is_task", types.flag, 0],
    ["access_tokens", "branches", types.text, ""],
    ["access_tokens", "operations", types.text, ""],
    ["access_tokens", "writes", types.integer, -1],
    ["access_tokens", "writes_left", types.integer, -1],
    ["issues", "made_with", types.text, ""],
    ["comments", "made_with", types.text, ""],
  ] as const)
    await db.schema
      .alterTable(rows)
      .addColumn(column, type, (c) => c.notNull().defaultTo(initial))
      .execute()
  await table(
    "token_deeds",
    {
      id: "id",
      token_id: "integer",
      token_name: "text",
      user_id: "reference",
      repository_id: "integer",
      owner_id: "integer",
      operation: "text",
      path: "text",
      status: "integer",
      created_at: "time",
    },
    { user_id: "users" },
  )
  await index("token_deeds_token", "token_deeds", ["token_id", "id"])
  await index("token_deeds_user", "token_deeds", ["user_id"])
  await index("token_deeds_repository", "token_deeds", ["repository_id", "id"])
  await index("token_deeds_owner", "token_deeds", ["owner_id", "id"])
  await index("token_deeds_created", "token_deeds", ["created_at"])
  await table("token_commits", { repository_id: "reference", commit_id: "text", token_name: "text" }, { repository_id: "repositories" }, [
    "repository_id",
    "commit_id",
  ])
}
