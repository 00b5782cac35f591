import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Whose turn it is to move a branch; and which branches someone pushed to a moment ago, which the front page of a repository asks. */
export const movingBranches = { id: 36, name: "moving branches", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  const columns = { repository_id: "reference", branch: "text", holder: "text", ends_at: "time" } as const
  await table("branch_turns", columns, { repository_id: "repositories" }, ["repository_id", "branch"])
  await sql`create index branches_pushed on branches (pusher_id, updated_at)`.execute(db)
}
