import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Branches whose pull requests line up, and are merged only together as they were tested. */
export const mergeQueue = { id: 52, name: "merge-queue", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  for (const [column, type, initial] of [
    ["enable_merge_queue", types.flag, 0],
    ["merge_queue_batch_size", types.integer, 5],
    ["merge_queue_check_minutes", types.integer, 60],
    ["merge_queue_style", types.text, "merge"],
  ] as const)
    await db.schema
      .alterTable("branch_protections")
      .addColumn(column, type, (c) => c.notNull().defaultTo(initial))
      .execute()
  await table(
    "merge_queues",
    {
      id: "id",
      repository_id: "reference",
      branch: "text",
      is_frozen: "flag",
      frozen_reason: "text",
      frozen_by_id: "integer",
      frozen_at: "time",
    },
    { repository_id: "repositories" },
  )
  await index("merge_queues_branch", "merge_queues", ["repository_id", "branch"], true)
  await table(
    "merge_trials",
    {
      id: "id",
      queue_id: "reference",
      state: "text",
      base_id: "text",
      commit_id: "text",
      numbers: "text",
      reason: "text",
      actor_id: "integer",
      landing_entry: "integer",
      created_at: "time",
      ended_at: "time",
    },
    { queue_id: "merge_queues" },
  )
  await index("merge_trials_queue", "merge_trials", ["queue_id", "id"])
  await sql`create unique index merge_trials_open on merge_trials (queue_id) where state in ('building', 'testing', 'passed')`.execute(db)
  await sql`create index merge_trials_ended on merge_trials (ended_at) where ended_at > 0`.execute(db)
  await table(
    "merge_queue_entries",
    {
      id: "id",
      queue_id: "reference",
      pull_id: "reference",
      user_id: "integer",
      head_id: "text",
      delete_branch: "flag",
      priority: "integer",
      span: "integer",
      trial_id: "integer",
      commit_id: "text",
      created_at: "time",
    },
    { queue_id: "merge_queues", pull_id: "pulls" },
  )
  await index("merge_queue_entries_pull", "merge_queue_entries", ["pull_id"], true)
  await index("merge_queue_entries_queue", "merge_queue_entries", ["queue_id", "priority", "id"])
}
