import { type RawBuilder, type SqlBool, sql } from "kysely"
import { type Actor, deployKeyOf, isPublicOnly, isSiteAdministrator, type User } from "../core/actor.ts"
import { Mode } from "./modes.ts"

type Condition = RawBuilder<SqlBool>
type Text = RawBuilder<string>

const everything: Condition = sql<SqlBool>`1 = 1`

/**
 * Which rows of `repositories` the caller may know of. Lists, counts and searches put it into their `where`, so that a page and its
 * total come from the same set. Says in SQL what `permissionsOn` decides.
 */
export function visibleRepositories(actor: Actor): Condition {
  return open(actor, (id) => grantedRepositories(id))
}

/**
 * Which rows of `repositories` the caller may read a unit of: issues of the list, pull requests of the list. The unit is an expression, so
 * that it may differ from row to row; '' stands for anything that lets one know of the repository.
 */
export function readableRepositories(actor: Actor, unit: Text): Condition {
  // The offer of a transfer counts only for those whom nothing else lets in.
  const granted = (id: number) =>
    sql<SqlBool>`(${collaborates(id)} or ${throughTeam(id, unit)} or (${offered(id)} and not ${throughTeam(id)}))`
  return sql<SqlBool>`(${unitEnabledIn(unit)} and ${open(actor, granted)})`
}

/** Whether a unit is switched on in the row of `repositories`. */
export const unitEnabledIn = (unit: Text): Condition => sql<SqlBool>`case ${unit}
  when 'repo.code' then repositories.has_code = 1
  when 'repo.issues' then repositories.has_issues = 1 and repositories.external_tracker_url = ''
  when 'repo.pulls' then repositories.has_pull_requests = 1
  when 'repo.projects' then repositories.has_projects = 1
  else 1 = 1 end`

function open(actor: Actor, granted: (userId: number) => Condition): Condition {
  const ownedPublicly = sql<SqlBool>`exists (select 1 from users as owner where owner.id = repositories.owner_id and owner.visibility = 'public')`
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return sql<SqlBool>`(repositories.is_private = 0 and ${ownedPublicly})`
  const key = deployKeyOf(actor)
  if (key) return sql<SqlBool>`repositories.id = ${key.repositoryId}`
  if (isSiteAdministrator(actor)) return everything
  const { id, is_restricted } = actor.user
  const openOwner = is_restricted
    ? ownedPublicly
    : sql<SqlBool>`exists (select 1 from users as owner where owner.id = repositories.owner_id and (owner.visibility in ('public', 'limited') or ${memberOf(id, sql.ref("owner.id"))}))`
  return sql<SqlBool>`(repositories.owner_id = ${id} or (repositories.is_private = 0 and ${openOwner}) or ${granted(id)})`
}

/** Repositories that somebody was let in to: as a collaborator, through a team, or by the offer of a transfer. */
export const grantedRepositories = (userId: number): Condition =>
  sql<SqlBool>`(${collaborates(userId)} or ${throughTeam(userId)} or ${offered(userId)})`

const collaborates = (userId: number): Condition =>
  sql<SqlBool>`exists (select 1 from collaborations where collaborations.repository_id = repositories.id and collaborations.user_id = ${userId})`

/** Through a team that gives anything on the repository; with `unit`, anything in that unit. */
const throughTeam = (userId: number, unit?: Text): Condition => sql<SqlBool>`exists (
  select 1 from team_repositories
  join team_members on team_members.team_id = team_repositories.team_id
  join teams on teams.id = team_repositories.team_id
  left join team_units on team_units.team_id = teams.id
  where team_repositories.repository_id = repositories.id and team_members.user_id = ${userId}
    and (teams.mode >= ${Mode.admin} or (team_units.mode > ${Mode.none}${unit ? sql` and (${unit} = '' or team_units.unit = ${unit})` : sql``})))`

const offered = (userId: number): Condition => sql<SqlBool>`exists (
  select 1 from repository_transfers
  where repository_transfers.repository_id = repositories.id
    and (repository_transfers.recipient_id = ${userId} or exists (
      select 1 from team_members join teams on teams.id = team_members.team_id
      where team_members.organization_id = repository_transfers.recipient_id and team_members.user_id = ${userId}
        and teams.can_create_repositories = 1)))`

const memberOf = (userId: number, organization: RawBuilder<unknown>): Condition =>
  sql<SqlBool>`exists (select 1 from organization_members where organization_members.organization_id = ${organization} and organization_members.user_id = ${userId})`

/** Which organisations (rows of `users`) the caller may know of. */
export function visibleOrganizations(actor: Actor): Condition {
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return sql<SqlBool>`users.visibility = 'public'`
  if (isSiteAdministrator(actor)) return everything
  const shown = actor.user.is_restricted ? sql`('public')` : sql`('public', 'limited')`
  return sql<SqlBool>`(users.visibility in ${shown} or ${memberOf(actor.user.id, sql.ref("users.id"))})`
}

/**
 * Which people and organisations (rows of `users`) are shown to the caller in lists of people. Private people show themselves to those
 * whom they follow and to those with whom they share a team.
 */
export function listedUsers(actor: Actor): Condition {
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return sql<SqlBool>`users.visibility = 'public'`
  if (isSiteAdministrator(actor)) return everything
  const { id, is_restricted } = actor.user
  if (is_restricted) return sql<SqlBool>`(users.visibility = 'public' or users.id = ${id})`
  return sql<SqlBool>`(users.visibility in ('public', 'limited') or users.id = ${id}
    or ${memberOf(id, sql.ref("users.id"))}
    or exists (select 1 from follows where follows.follower_id = users.id and follows.followed_id = ${id})
    or exists (
      select 1 from team_members as theirs join team_members as mine on mine.team_id = theirs.team_id
      where theirs.user_id = users.id and mine.user_id = ${id}))`
}

/** Whether the caller may know of this person. Organisations go by `organizationVisible`, which needs the membership. */
export function personVisible(actor: Actor, user: User): boolean {
  if (user.visibility === "public") return true
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return false
  if (actor.user.id === user.id || actor.user.is_admin === 1) return true
  return user.visibility === "limited" && actor.user.is_restricted === 0
}

/** Whether the caller may know of this organisation. */
export function organizationVisible(actor: Actor, organization: User, isMember: boolean): boolean {
  if (organization.visibility === "public") return true
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return false
  if (actor.user.is_admin === 1 || isMember) return true
  return organization.visibility === "limited" && actor.user.is_restricted === 0
}
