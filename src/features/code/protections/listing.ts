import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOf, unitMode } from "../../../access/permission.ts"
import { knownAmong } from "../../../access/policies/people.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"
import type { Listed } from "./store.ts"

/** The users and teams of a rule's lists, by the names that clients send. */

const findPeople = query("protections.findPeople", (db, p: Params<{ names: readonly string[] }>) =>
  db.selectFrom("users").selectAll().where("lower_name", "in", p.names).where("kind", "=", "person"),
)

const findTeams = query("protections.findTeams", (db, p: Params<{ organizationId: number; names: readonly string[] }>) =>
  db
    .selectFrom("teams")
    .select(["id", "lower_name", "mode"])
    .where("organization_id", "=", p.organizationId)
    .where("lower_name", "in", p.names),
)

/** Those of the teams that have access to the code or the pull requests of a repository. */
const findReaching = query("protections.findReaching", (db, p: Params<{ repositoryId: number; teamIds: readonly number[] }>) =>
  db
    .selectFrom("team_repositories")
    .innerJoin("teams", "teams.id", "team_repositories.team_id")
    .leftJoin("team_units", (join) =>
      join.onRef("team_units.team_id", "=", "teams.id").on("team_units.unit", "in", ["repo.code", "repo.pulls"]),
    )
    .select("teams.id")
    .distinct()
    .where("team_repositories.repository_id", "=", p.repositoryId)
    .where("teams.id", "in", p.teamIds)
    .where((eb) => eb.or([eb("teams.mode", ">=", Mode.admin), eb("team_units.mode", ">=", Mode.read)])),
)

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
  if (unknown !== undefined) throw refuse.invalid(field, `there is no user ${unknown}`)
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
  if (unknown !== undefined) throw refuse.invalid(field, `there is no team ${unknown}`)
  const reaching = await findReaching(db, { repositoryId: repository.id, teamIds: teams.map(({ id }) => id) })
  return reaching.map(({ id }) => id)
}

const findNames = query("protections.findNames", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("users").select(["id", "name"]).where("id", "in", p.ids).orderBy("lower_name"),
)

const findTeamNames = query("protections.findTeamNames", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("teams").select(["id", "name"]).where("id", "in", p.ids).orderBy("lower_name"),
)

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
