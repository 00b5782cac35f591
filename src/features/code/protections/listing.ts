import { type Owned, permissionsOf, unitMode } from "../../../access/permission.ts"
import { knownAmong } from "../../../access/policies/people.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { findNames, findPeople, findReaching, findTeamNames, findTeams } from "./names-store.ts"
import type { Listed } from "./store.ts"

/** The users and teams of a rule's lists, by the names that clients send. */

const lowered = (names: readonly string[]): readonly string[] => [...new Set(names.map((name) => name.toLowerCase()))]

/**
 * The ids of these users. Users with less than `mode` on the code are left out, as clients expect, since listing them has no effect. Refuses `invalid` for
 * `field` if a name is unknown to the caller, who administers the repository.
 */
export async function peopleNamed(
  db: Handle,
  { actor, ...owned }: Owned & Me,
  field: string,
  names: readonly string[],
  mode: number,
): Promise<readonly number[]> {
  const wanted = lowered(names)
  if (wanted.length === 0) return []
  const people = await knownAmong(db, actor, await findPeople(db, { names: [...wanted] }), owned.owner)
  const unknown = wanted.find((name) => people.every(({ lower_name }) => lower_name !== name))
  if (unknown !== undefined) throw refuse.invalid(field, t`there is no user ${unknown}`)
  const permissions = await permissionsOf(db, owned, people)
  return people.flatMap(({ id }) => {
    const permission = permissions.get(id)
    return permission && unitMode(permission, owned.repository, "repo.code") >= mode ? id : []
  })
}

/**
 * The ids of these teams of the repository's organisation; for a user's repository the names are ignored. A team without access to the
 * repository is left out. Refuses `invalid` for `field` if a name is unknown.
 */
export async function teamsNamed(
  db: Handle,
  { repository, owner }: Owned,
  field: string,
  names: readonly string[],
): Promise<readonly number[]> {
  const wanted = lowered(names)
  if (wanted.length === 0 || owner.kind !== "organization") return []
  const teams = await findTeams(db, { organizationId: owner.id, names: [...wanted] })
  const unknown = wanted.find((name) => teams.every(({ lower_name }) => lower_name !== name))
  if (unknown !== undefined) throw refuse.invalid(field, t`there is no team ${unknown}`)
  const reaching = await findReaching(db, { repositoryId: repository.id, teamIds: teams.map(({ id }) => id) })
  return reaching.map(({ id }) => id)
}

/** Names of users and teams, in alphabetical order. */
export interface Names {
  readonly people: (listed: Listed) => string[]
  readonly teams: (listed: Listed) => string[]
}

/** The names in these lists: two queries at most, however many lists there are. */
export async function namesOf(db: Handle, lists: readonly Listed[]): Promise<Names> {
  const userIds = [...new Set(lists.flatMap((listed) => listed.userIds))]
  const teamIds = [...new Set(lists.flatMap((listed) => listed.teamIds))]
  const people = userIds.length === 0 ? [] : await findNames(db, { ids: userIds })
  const teams = teamIds.length === 0 ? [] : await findTeamNames(db, { ids: teamIds })
  return {
    people: (listed) => people.flatMap(({ id, name }) => (listed.userIds.includes(id) ? name : [])),
    teams: (listed) => teams.flatMap(({ id, name }) => (listed.teamIds.includes(id) ? name : [])),
  }
}
