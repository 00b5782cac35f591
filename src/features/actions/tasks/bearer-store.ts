import type { Kysely } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import { isActive } from "../runs/tasks-store.ts"

const tasks = (db: Kysely<Tables>) =>
  db
    .selectFrom("action_tasks")
    .innerJoin("action_jobs", "action_jobs.id", "action_tasks.job_id")
    .innerJoin("action_runs", "action_runs.id", "action_jobs.run_id")
    .innerJoin("repositories", "repositories.id", "action_tasks.repository_id")
    .select([
      "action_tasks.id",
      "action_tasks.repository_id",
      "action_jobs.permissions",
      "action_runs.is_untrusted",
      "repositories.owner_id",
      "repositories.is_private",
    ])

export const findBearerByToken = query("actions.findBearerByToken", (db, p: Params<{ digest: string }>) =>
  tasks(db).where("action_tasks.digest", "=", p.digest).where(isActive),
)

export const findBearerByTask = query("actions.findBearerByTask", (db, p: Params<{ id: number }>) =>
  tasks(db).where("action_tasks.id", "=", p.id).where(isActive),
)
