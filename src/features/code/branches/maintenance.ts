import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOn, unitMode } from "../../../access/permission.ts"
import { type Actor, deployKeyOf } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { findRepositoriesByIds, withOwners } from "../repositories/store.ts"
import { findMaintainable } from "./store.ts"

/**
 * The branches of a fork that the caller may push to without any right in it: those which he, as somebody who may write to where they are to be merged,
 * was let in to by the pull request's author. Four queries at most.
 */
export async function maintainedBranches(
  db: Handle,
  actor: Actor,
  { repository }: Pick<Owned, "repository">,
): Promise<ReadonlySet<string>> {
  // A key of the fork stands for nobody elsewhere.
  if (actor.kind === "anonymous" || deployKeyOf(actor) || repository.fork_of_id === null) return new Set()
  const open = await findMaintainable(db, { repositoryId: repository.id })
  if (open.length === 0) return new Set()
  const bases = await withOwners(db, await findRepositoriesByIds(db, { ids: [...new Set(open.map(({ base_id }) => base_id))] }))
  const permissions = await permissionsOn(db, actor, bases)
  const maintains = new Set(
    bases.flatMap(({ repository: base }) => {
      const permission = permissions.get(base.id)
      return permission && unitMode(permission, base, "repo.code") >= Mode.write ? base.id : []
    }),
  )
  return new Set(open.flatMap(({ base_id, head_branch }) => (maintains.has(base_id) ? head_branch : [])))
}
