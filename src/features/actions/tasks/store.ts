import type { Selectable } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionTasksTable } from "../../../core/database/tables/actions.ts"

/** A task with the run of its job. */
export type ActiveTask = Selectable<ActionTasksTable> & { readonly run_id: number }

export const findActiveTask = query("actions.findTask", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .selectAll("action_tasks")
    .select("action_jobs.run_id")
    .where("action_tasks.id", "=", p.id),
)
