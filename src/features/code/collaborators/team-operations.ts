import { Mode } from "../../../access/modes.ts"
import { type OrganizationRole, roleIn } from "../../../access/policies/organization-role.ts"
import { locateUser } from "../../../access/policies/people.ts"
import {
  locateRepositoryById,
  type OnRepository,
  onRepositoryAsAdministrator,
  onRepositorySignedIn,
} from "../../../access/policies/repositories.ts"
import { onTeam, onTeamPrivileged } from "../../../access/policies/teams.ts"
import { findRepositoryByName, findRepositoryRedirect } from "../../../access/store.ts"
import { type Team as TeamRow, teamVisible } from "../../../access/visibility.ts"
import type { Actor, SignedIn, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Renamed, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentTeams } from "../../people/teams/present.ts"
import { Team } from "../../people/teams/records.ts"
import { addTeamRepository, removeTeamRepository, teamsOfRepository } from "../../people/teams/rules.ts"
import { findOwnTeamIds, findTeamByName, findTeamRepository, findTeams } from "../../people/teams/store.ts"
import { presentRepositories, presentRepository } from "../repositories/present.ts"
import { Repository } from "../repositories/records.ts"
import { withOwners } from "../repositories/store.ts"
import { findTeamRepositories } from "./store.ts"

// --- from the team ----------------------------------------------------------------------------------------------------------------

const shared = { tag: "organization", scope: ["organization"] } as const

type RepositoryPath = { readonly org: string; readonly repo: string }

/**
 * The repository of the path, which must belong to the team's organisation and be visible to the caller. Old names are redirected.
 */
async function locateTeamRepository(db: Handle, actor: Actor, organization: User, path: RepositoryPath): Promise<OnRepository> {
  const owner = await locateUser(db, actor, path.org, "org")
  if (owner.id !== organization.id) throw refuse.notFound()
  const lowerName = path.repo.toLowerCase()
  const named = await findRepositoryByName.first(db, { ownerId: owner.id, lowerName })
  if (named) return locateRepositoryById(db, actor, named.id)
  const moved = await findRepositoryRedirect.first(db, { ownerId: owner.id, lowerName })
  if (!moved) throw refuse.notFound()
  const target = await locateRepositoryById(db, actor, moved.repository_id)
  throw new Renamed(301, { org: target.owner.name, repo: target.repository.name })
}

/** Changing a repository's teams takes an owner, or, if the organisation allows it, an administrator of the repository. */
const mayChangeTeams = (organization: User, isOwner: boolean): boolean => isOwner || organization.repo_admin_change_team_access === 1

function requireMayChangeTeams(organization: User, isOwner: boolean): void {
  if (!mayChangeTeams(organization, isOwner)) throw refuse.forbidden("user is nor repo admin nor owner")
}

/** The repository whose teams are to change. Missing rights are refused before the lookup, so that nothing is disclosed. */
async function openTeamRepository(
  db: Handle,
  actor: Actor,
  organization: User,
  role: OrganizationRole,
  path: RepositoryPath,
): Promise<OnRepository> {
  requireMayChangeTeams(organization, role.isOwner)
  const found = await locateTeamRepository(db, actor, organization, path)
  if (found.permission.mode < Mode.admin) throw refuse.forbidden("Must have admin-level access to the repository")
  return found
}

export const teamRepositoryOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgListTeamRepos",
    route: "GET /teams/{id}/repos",
    summary: "List a team's repositories",
    description: "Those that the caller may know of, by name.",
    access: onTeam,
    paged: true,
    answers: { 200: Type.Array(Repository) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, team, page }) => {
      const { rows, total } = await findTeamRepositories(db, team.id, actor, page)
      return listed(await presentRepositories(db, services.site, actor, await withOwners(db, rows)), total)
    },
  }),

  operation({
    ...shared,
    id: "orgListTeamRepo",
    route: "GET /teams/{id}/repos/{org}/{repo}",
    summary: "Get a repository of a team",
    access: onTeam,
    answers: { 200: Repository },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, team, organization, path }) => {
      const found = await locateTeamRepository(db, actor, organization, path)
      if (!(await findTeamRepository.first(db, { teamId: team.id, repositoryId: found.repository.id }))) throw refuse.notFound()
      return ok(await presentRepository(db, services.site, actor, found, found.permission))
    },
  }),

  operation({
    ...shared,
    id: "orgAddTeamRepository",
    route: "PUT /teams/{id}/repos/{org}/{repo}",
    summary: "Add a repository to a team",
    description: "Adding one again changes nothing.",
    access: onTeamPrivileged,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, team, organization, role, path }) => {
      const { repository } = await openTeamRepository(db, actor, organization, role, path)
      await services.database.write((tx) => addTeamRepository(tx, actor.user, team.id, repository.id))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgRemoveTeamRepository",
    route: "DELETE /teams/{id}/repos/{org}/{repo}",
    summary: "Remove a repository from a team",
    description: "The repository itself stays. A team that includes all repositories keeps it.",
    access: onTeamPrivileged,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, team, organization, role, path }) => {
      const { repository } = await openTeamRepository(db, actor, organization, role, path)
      await services.database.write((tx) => removeTeamRepository(tx, actor.user, team.id, repository.id, "id"))
      return noContent()
    },
  }),
]

// --- from the repository ----------------------------------------------------------------------------------------------------------

const ofRepository = { tag: "repository", scope: ["repository"] } as const

export interface OnOwnedRepository extends OnRepository {
  readonly actor: SignedIn
}

interface TeamReader {
  readonly role: OrganizationRole
  readonly isReadable: (team: TeamRow) => boolean
}

/**
 * Which teams of the repository's owner the caller may see here: members of the organisation whose team administers the repository see all of
 * them, since they may be asked to add and remove them. Refuses `methodNotAllowed` for a user's repository, which has no teams.
 */
async function teamReader(db: Handle, { owner, actor, permission }: OnOwnedRepository): Promise<TeamReader> {
  if (owner.kind !== "organization") throw refuse.methodNotAllowed("repo is not owned by an organization")
  const role = await roleIn(db, actor, owner)
  if (role.isOwner || (role.isMember && permission.mode >= Mode.owner)) return { role, isReadable: () => true }
  const own = new Set((await findOwnTeamIds(db, { organizationId: owner.id, userId: actor.user.id })).map((row) => row.team_id))
  return { role, isReadable: (team) => teamVisible(actor, team, owner, role, own.has(team.id)) }
}

/** The repository's teams that the caller, its administrator, may know of; and those that they may add. */
export async function changeableTeams(db: Handle, found: OnOwnedRepository) {
  const { role, isReadable } = await teamReader(db, found)
  const attached = (await teamsOfRepository(db, found.repository.id)).filter(isReadable)
  const mayChange = mayChangeTeams(found.owner, role.isOwner)
  if (!mayChange) return { attached, mayChange, others: [] }
  const everything = { number: 1, limit: MOST_TEAMS, offset: 0 }
  const { rows } = await findTeams(db, found.owner.id, found.actor, { text: "", inDescriptions: false }, everything)
  return { attached, mayChange, others: rows.filter(({ id }) => attached.every((team) => team.id !== id)) }
}

/** Teams in a menu. */
const MOST_TEAMS = 500

/** The owner's team named by the path's {team}. Refuses `notFound` also for one that the caller may not see. */
async function locateNamedTeam(db: Handle, found: OnOwnedRepository, { isReadable }: TeamReader, name: string): Promise<TeamRow> {
  const team = await findTeamByName.first(db, { organizationId: found.owner.id, lowerName: name.toLowerCase() })
  if (!team || !isReadable(team)) throw refuse.notFound()
  return team
}

/** The team to add to or remove from the repository. */
async function openNamedTeam(db: Handle, found: OnOwnedRepository, name: string): Promise<TeamRow> {
  const reader = await teamReader(db, found)
  const team = await locateNamedTeam(db, found, reader, name)
  requireMayChangeTeams(found.owner, reader.role.isOwner)
  return team
}

export const repositoryTeamOperations: readonly Operation[] = [
  operation({
    ...ofRepository,
    id: "repoListTeams",
    route: "GET /repos/{owner}/{repo}/teams",
    summary: "List a repository's teams",
    description: "Those that the caller may know of.",
    access: onRepositorySignedIn,
    answers: { 200: Type.Array(Team) },
    refuses: ["notFound", "methodNotAllowed"],
    handle: async ({ db, services, ...found }) => {
      const { isReadable } = await teamReader(db, found)
      const teams = await teamsOfRepository(db, found.repository.id)
      return ok(await presentTeams(db, services.site, teams.filter(isReadable), { withOrganization: false }))
    },
  }),

  operation({
    ...ofRepository,
    id: "repoCheckTeam",
    route: "GET /repos/{owner}/{repo}/teams/{team}",
    summary: "Get a team of a repository",
    access: onRepositorySignedIn,
    answers: { 200: Team },
    refuses: ["notFound", "methodNotAllowed"],
    handle: async ({ db, services, path, ...found }) => {
      const team = await locateNamedTeam(db, found, await teamReader(db, found), path.team)
      if (!(await findTeamRepository.first(db, { teamId: team.id, repositoryId: found.repository.id }))) throw refuse.notFound()
      const [record] = await presentTeams(db, services.site, [team], { withOrganization: false })
      if (!record) throw refuse.notFound()
      return ok(record)
    },
  }),

  operation({
    ...ofRepository,
    id: "repoAddTeam",
    route: "PUT /repos/{owner}/{repo}/teams/{team}",
    summary: "Add a team to a repository",
    access: onRepositoryAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "methodNotAllowed", "invalid"],
    handle: async ({ db, services, path, ...found }) => {
      const team = await openNamedTeam(db, found, path.team)
      const added = await services.database.write((tx) => addTeamRepository(tx, found.me, team.id, found.repository.id))
      if (!added) throw refuse.invalid("team", t`${team.name} has the repository already`)
      return noContent()
    },
  }),

  operation({
    ...ofRepository,
    id: "repoDeleteTeam",
    route: "DELETE /repos/{owner}/{repo}/teams/{team}",
    summary: "Remove a team from a repository",
    description: "A team that includes all repositories keeps it.",
    access: onRepositoryAsAdministrator,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "methodNotAllowed", "invalid"],
    handle: async ({ db, services, path, ...found }) => {
      const team = await openNamedTeam(db, found, path.team)
      const removed = await services.database.write((tx) => removeTeamRepository(tx, found.me, team.id, found.repository.id, "team"))
      if (!removed) throw refuse.invalid("team", t`${team.name} does not have the repository`)
      return noContent()
    },
  }),
]
