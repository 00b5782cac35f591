import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOf, permissionsOn, unitMode } from "../../../access/permission.ts"
import { type Actor, deployKeyOf } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { isChosenRepository } from "../../../core/limited-token.ts"
import { findRepositoriesByIds, withOwners } from "../repositories/store.ts"
import { findMaintainable } from "./store.ts"

/**
 * The branches of a fork that the caller may push to without any right in it: those of open pull requests whose author may write to the
 * fork and lets maintainers of the base edit them, where the caller may write to that base. Seven queries at most.
 */
export async function maintainedBranches(db: Handle, actor: Actor, owned: Owned): Promise<ReadonlySet<string>> {
  const { repository } = owned
  // A deploy key of the fork has no rights in the base.
  if (actor.kind === "anonymous" || deployKeyOf(actor) || repository.fork_of_id === null || !isChosenRepository(actor, repository))
    return new Set()
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
  const lent = open.filter(({ base_id }) => maintains.has(base_id))
  // A pull request may also be opened by someone who can only read the head, and whose word doesn't count there.
  const authors = await permissionsOf(db, owned, lent)
  return new Set(
    lent.flatMap(({ id, head_branch }) => {
      const permission = authors.get(id)
      return permission && unitMode(permission, repository, "repo.code") >= Mode.write ? head_branch : []
    }),
  )
}
