import { type SqlBool, sql } from "kysely"
import { Mode, UNITS } from "../../../access/modes.ts"
import { type Owned, type Permission, permissionsOf, type Repository, unitMode } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

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

const findCandidates = query("issues.findAssignable", (db, p: Params<{ repositoryId: number; ownerId: number }>) =>
  db
    .selectFrom("users")
    .selectAll()
    .where("kind", "=", "person")
    .where("is_active", "=", 1)
    .where("id", "!=", p.ownerId)
    .where(
      sql<SqlBool>`(exists (
        select 1 from collaborations
        where collaborations.repository_id = ${p.repositoryId} and collaborations.user_id = users.id and collaborations.mode >= ${Mode.write})
      or exists (
        select 1 from team_repositories
        join team_members on team_members.team_id = team_repositories.team_id
        join teams on teams.id = team_repositories.team_id
        left join team_units on team_units.team_id = teams.id
        where team_repositories.repository_id = ${p.repositoryId} and team_members.user_id = users.id
          and (teams.mode >= ${Mode.admin}
            or (team_units.unit in ('repo.issues', 'repo.pulls') and team_units.mode >= ${Mode.read}))))`,
    )
    .orderBy("lower_name"),
)

/**
 * The assignees that clients offer: users who may write to the repository or have access to its issues through a team, by name, followed by
 * the owner if it is a person.
 */
export async function findCandidateAssignees(db: Handle, { repository, owner }: Owned): Promise<readonly User[]> {
  const candidates = await findCandidates(db, { repositoryId: repository.id, ownerId: owner.id })
  return owner.kind === "person" && owner.is_active === 1 ? [...candidates, owner] : candidates
}
