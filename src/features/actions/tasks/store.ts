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

/** The newest task of a job, with what shows its log. */
export const findShownTask = query("actions.findShownTask", (db, p: Params<{ jobId: number }>) =>
  db
    .selectFrom("action_tasks")
    .select(["id", "state", "log_file", "log_lines", "log_size", "log_end", "log_sealed", "log_packed", "log_expired", "updated_at"])
    .where("job_id", "=", p.jobId)
    .orderBy("id", "desc")
    .limit(1),
)
export type ShownTask = Awaited<ReturnType<typeof findShownTask>>[number]
