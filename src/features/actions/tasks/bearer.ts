import { hash } from "node:crypto"
import type { Kysely } from "kysely"
import { Mode, UNITS } from "../../../access/modes.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables.ts"
import { issuedTokens } from "../../people/authentication/issued-tokens.ts"
import type { JobPermissions } from "../definitions/permissions.ts"
import { jobActor, sharingOwner } from "../definitions/reader.ts"
import { isActive } from "../runs/store.ts"

/** The tokens of jobs as credentials. They are valid while the task runs, or is being cancelled. */

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

const findByDigest = query("actions.findBearerByToken", (db, p: Params<{ digest: string }>) =>
  tasks(db).where("action_tasks.digest", "=", p.digest).where(isActive),
)

const findById = query("actions.findBearerByTask", (db, p: Params<{ id: number }>) =>
  tasks(db).where("action_tasks.id", "=", p.id).where(isActive),
)

type Task = Awaited<ReturnType<typeof findById>>[number]

function actorOf(task: Task | undefined): SignedIn | undefined {
  if (!task) return undefined
  const granted: JobPermissions = JSON.parse(task.permissions)
  const units = Object.fromEntries(UNITS.flatMap((unit) => (granted[unit] ? [[unit, Mode[granted[unit]]]] : [])))
  const repository = { id: task.repository_id, owner_id: task.owner_id, is_private: task.is_private }
  const ownerId = sharingOwner({ repository, isUntrusted: task.is_untrusted === 1 })
  return jobActor({ taskId: task.id, repositoryId: task.repository_id, ownerId, units }, task.id)
}

export const tokensOfJobs = issuedTokens.with({
  bearer: async ({ database }, token) => actorOf(await findByDigest.first(database.read, { digest: hash("sha256", token) })),
  stillBearer: async ({ database }, { taskId }) => actorOf(await findById.first(database.read, { id: taskId })),
})
