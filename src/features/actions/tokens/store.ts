import type { Repository } from "../../../access/permission.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Job, Run } from "../runs/store.ts"
import { isActive } from "../runs/tasks-store.ts"

/** A task that runs or is being cancelled, with what it belongs to, as far as those need it who serve the job. */
export interface RunningTask {
  readonly task: { readonly id: number }
  readonly job: Pick<Job, "id" | "attempt" | "key" | "permissions">
  readonly run: Pick<
    Run,
    | "id"
    | "number"
    | "event"
    | "ref"
    | "commit_id"
    | "workflow"
    | "workflow_name"
    | "workflow_folder"
    | "is_untrusted"
    | "pull_id"
    | "actor_id"
  >
  readonly repository: Pick<Repository, "id" | "owner_id" | "name" | "storage" | "default_branch" | "is_private">
}

const findActive = query("actions.findRunningTask", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .innerJoin("action_runs", "action_runs.id", "action_jobs.run_id")
    .innerJoin("repositories", "repositories.id", "action_tasks.repository_id")
    .select([
      "action_tasks.id as task_id",
      "action_jobs.id as job_id",
      "action_jobs.attempt",
      "action_jobs.key",
      "action_jobs.permissions",
      "action_runs.id as run_id",
      "action_runs.number",
      "action_runs.event",
      "action_runs.ref",
      "action_runs.commit_id",
      "action_runs.workflow",
      "action_runs.workflow_name",
      "action_runs.workflow_folder",
      "action_runs.is_untrusted",
      "action_runs.pull_id",
      "action_runs.actor_id",
      "repositories.id as repository_id",
      "repositories.owner_id",
      "repositories.name",
      "repositories.storage",
      "repositories.default_branch",
      "repositories.is_private",
    ])
    .where("action_tasks.id", "=", p.id)
    .where(isActive),
)

/** The task while it runs or is being cancelled. One query. */
export async function findRunningTask(db: Handle, id: number): Promise<RunningTask | undefined> {
  const row = await findActive.first(db, { id })
  if (!row) return undefined
  const { task_id, job_id, attempt, key, permissions, run_id, repository_id, owner_id, name, storage, default_branch, is_private, ...run } =
    row
  return {
    task: { id: task_id },
    job: { id: job_id, attempt, key, permissions },
    run: { id: run_id, ...run },
    repository: { id: repository_id, owner_id, name, storage, default_branch, is_private },
  }
}
