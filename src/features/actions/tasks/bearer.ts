import { hash } from "node:crypto"
import { Mode, UNITS } from "../../../access/modes.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { issuedTokens } from "../../people/sign-in/credentials/issued-tokens.ts"
import type { JobPermissions } from "../definitions/permissions.ts"
import { jobActor, sharingOwner } from "../definitions/reader.ts"
import { findBearerByTask, findBearerByToken } from "./bearer-store.ts"

/** The tokens of jobs as credentials. They are valid while the task runs, or is being cancelled. */

type Task = Awaited<ReturnType<typeof findBearerByTask>>[number]

function actorOf(task: Task | undefined): SignedIn | undefined {
  if (!task) return undefined
  const granted: JobPermissions = JSON.parse(task.permissions)
  const units = Object.fromEntries(UNITS.flatMap((unit) => (granted[unit] ? [[unit, Mode[granted[unit]]]] : [])))
  const repository = { id: task.repository_id, owner_id: task.owner_id, is_private: task.is_private }
  const ownerId = sharingOwner({ repository, isUntrusted: task.is_untrusted === 1 })
  return jobActor({ taskId: task.id, repositoryId: task.repository_id, ownerId, units }, task.id)
}

export const tokensOfJobs = issuedTokens.with({
  bearer: async ({ database }, token) => actorOf(await findBearerByToken.first(database.read, { digest: hash("sha256", token) })),
  stillBearer: async ({ database }, { taskId }) => actorOf(await findBearerByTask.first(database.read, { id: taskId })),
})
