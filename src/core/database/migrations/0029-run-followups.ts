import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Notifications about failed runs, summaries of jobs, since when jobs wait, and repositories whose workflows their owner's others may use. */
export const runFollowups = { id: 29, name: "run_followups", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await db.schema
    .alterTable("notifications")
    .addColumn("run_id", types.integer, (column) => column.references("action_runs.id").onDelete("cascade"))
    .execute()
  await index("notifications_run", "notifications", ["run_id", "user_id"], true)

  await table("action_summaries", { job_id: "reference", step: "integer", content: "text" }, { job_id: "action_jobs" }, ["job_id", "step"])

  await db.schema
    .alterTable("action_jobs")
    .addColumn("queued_at", types.time, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update action_jobs set queued_at = created_at where state = 'waiting'`.execute(db)

  await db.schema
    .alterTable("repositories")
    .addColumn("shares_workflows", types.flag, (column) => column.notNull().defaultTo(0))
    .execute()
}
