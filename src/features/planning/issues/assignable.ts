import { Mode, UNITS } from "../../../access/modes.ts"
import { type Owned, type Permission, permissionsOf, type Repository, unitMode } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { findCandidates } from "./people-store.ts"

/** The users that an issue can be assigned to: those who may write to any part of the repository, or read its pull requests. */

const assignable = (permission: Permission, repository: Repository): boolean =>
  unitMode(permission, repository, "repo.pulls") >= Mode.read || UNITS.some((unit) => unitMode(permission, repository, unit) >= Mode.write)

/** Those of the accounts that issues of the repository can be assigned to; never organisations. At most three queries. */
export async function assignableAmong(db: Handle, owned: Owned, users: readonly User[]): Promise<ReadonlySet<number>> {
  const people = users.filter(({ kind }) => kind === "person")
  const permissions = await permissionsOf(db, owned, people)
  const fits = ({ id }: User): boolean => {
    const permission = permissions.get(id)
    return permission !== undefined && assignable(permission, owned.repository)
  }
  return new Set(people.filter(fits).map(({ id }) => id))
}

/**
 * The assignees that clients offer: users who may write to the repository or have access to its issues through a team, by name, followed by
 * the owner if it is a person.
 */
export async function findCandidateAssignees(db: Handle, { repository, owner }: Owned): Promise<readonly User[]> {
  const candidates = await findCandidates(db, { repositoryId: repository.id, ownerId: owner.id })
  return owner.kind === "person" && owner.is_active === 1 ? [...candidates, owner] : candidates
}
