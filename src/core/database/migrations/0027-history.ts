import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What pages show of histories. It is all computed from git, and may be removed at any time. */
export const history = { id: 27, name: "history", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "tree_histories",
    { repository_id: "reference", path: "text", tree_id: "text", commit_id: "text", entries: "text", stored_at: "time" },
    { repository_id: "repositories" },
    ["repository_id", "path", "tree_id"],
  )
  await index("tree_histories_age", "tree_histories", ["repository_id", "stored_at"])
  await table(
    "branch_comparisons",
    { repository_id: "reference", base_id: "text", head_id: "text", ahead: "integer", behind: "integer" },
    { repository_id: "repositories" },
    ["repository_id", "base_id", "head_id"],
  )
  await table(
    "repository_contributions",
    { repository_id: "reference", commit_id: "text", is_whole: "flag", authors: "text", counted_at: "time" },
    { repository_id: "repositories" },
    ["repository_id"],
  )
}
