import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Which events the workflows of default branches listen to. */
export const workflowTriggers = { id: 25, name: "workflow_triggers", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  await table("action_triggers", { repository_id: "reference", event: "text" }, { repository_id: "repositories" }, [
    "repository_id",
    "event",
  ])
  // Files are read by jobs.
  await sql`insert into jobs (kind, payload, state, attempts, run_at, held_until, last_error, created_at, finished_at)
    select 'actions.readSchedules', '{"repositoryId":' || id || '}', 'waiting', 0, 0, 0, '', 0, 0
    from repositories where has_actions = 1 and is_empty = 0`.execute(db)
}
