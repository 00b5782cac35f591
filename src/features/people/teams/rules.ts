import { Mode } from "../../../access/modes.ts"
import { findMembership, findRepositoryById } from "../../../access/store.ts"
import type { Team } from "../../../access/visibility.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { findMemberIds } from "../organizations/members-store.ts"
import { lockTeam, onTeam } from "./membership.ts"
import {
  addToTeams,
  deleteFromTeam,
  deleteFromTeams,
  findAdministeringTeam,
  findMembersThrough,
  findTeamRepository,
  findTeamsOfRepository,
  findTeamsToAttach,
} from "./store.ts"

/** How teams give access to the repositories of their organisation. */

/** Whether the user is one of the organisation's owners. A site administrator as such is not. */
export async function isOrganizationOwner(db: Handle, organizationId: number, userId: number): Promise<boolean> {
  return (await findMembership.first(db, { organizationId, userId }))?.mode === Mode.owner
}

/** Whether a team lets the user create repositories in the organisation. A site administrator as such has no team. */
export async function mayCreateRepositories(db: Handle, organization: Pick<User, "id">, userId: number): Promise<boolean> {
  const membership = await findMembership.first(db, { organizationId: organization.id, userId })
  return membership?.mode === Mode.owner || membership?.can_create_repositories === 1
}

/** The teams that have the repository, owners first, then by name. `teamVisible` decides which of them a user may see. */
export const teamsOfRepository = (db: Handle, repositoryId: number): Promise<readonly Team[]> => findTeamsOfRepository(db, { repositoryId })

/** Adds a new repository of an organisation to every team that includes all repositories. Gives whether its creator administers it by that. */
export async function attachNewRepository(
  tx: Transaction,
  organization: Pick<User, "id">,
  repositoryId: number,
  creator: Pick<User, "id" | "is_admin">,
): Promise<boolean> {
  await attachTeams(tx, creator, organization, repositoryId, [])
  return creator.is_admin === 1 || (await findAdministeringTeam(tx, { repositoryId, userId: creator.id })) !== undefined
}

/**
 * Adds a repository that was transferred to the organisation to every team that includes all repositories, and to the given ones. Ids of
 * other organisations' teams are ignored.
 */
export async function attachTeams(
  tx: Transaction,
  actor: Pick<User, "id">,
  organization: Pick<User, "id">,
  repositoryId: number,
  teamIds: readonly number[],
): Promise<void> {
  // A team that is being changed to include all repositories must either see this one, or be seen here.
  await lockRow(tx, "users", organization.id)
  const teams = await findTeamsToAttach(tx, { organizationId: organization.id, teamIds })
  if (teams.length === 0) return
  await addToTeams(
    tx,
    teams.map(({ id }) => ({ team_id: id, repository_id: repositoryId, organization_id: organization.id })),
  )
  for (const team of teams)
    if (team.includes_all_repositories === 0)
      publish(tx, { kind: "team.repositoryAdded", ...onTeam(team, actor), repository: { id: repositoryId } })
  publish(tx, { kind: "access.granted", teamIds: teams.map(({ id }) => id), repositoryIds: [repositoryId] })
}

/**
 * Removes the repository from all teams, and returns the ids of the users who had access through one. Once the repository has its new owner,
 * the caller publishes that they have lost access.
 */
export async function detachAllTeams(tx: Transaction, repositoryId: number): Promise<readonly number[]> {
  const members = await findMembersThrough(tx, repositoryId)
  await deleteFromTeams(tx, repositoryId)
  return members.map((row) => row.user_id)
}

/**
 * Adds a repository of the team's organisation to the team; returns false where the team has it already.
 * The caller ensures that the repository belongs to the organisation.
 */
export async function addTeamRepository(tx: Transaction, actor: Pick<User, "id">, teamId: number, repositoryId: number): Promise<boolean> {
  const team = await lockTeam(tx, teamId)
  const owned = await findRepositoryById.first(tx, { id: repositoryId })
  // It may have been transferred since it was looked up.
  if (owned?.owner_id !== team.organization_id) throw refuse.notFound()
  const added = await addToTeams(tx, [{ team_id: team.id, repository_id: repositoryId, organization_id: team.organization_id }])
  if (added.length === 0) return false
  publish(
    tx,
    { kind: "team.repositoryAdded", ...onTeam(team, actor), repository: { id: repositoryId } },
    { kind: "access.granted", teamIds: [team.id], repositoryIds: [repositoryId] },
  )
  return true
}

/**
 * Removes a repository from a team; returns false where the team doesn't have it. Refuses as `invalid`, for `field`, a team that includes all
 * repositories.
 */
export async function removeTeamRepository(
  tx: Transaction,
  actor: Pick<User, "id">,
  teamId: number,
  repositoryId: number,
  field: string,
): Promise<boolean> {
  const team = await lockTeam(tx, teamId)
  if ((await findTeamRepository.first(tx, { teamId, repositoryId })) === undefined) return false
  if (team.includes_all_repositories === 1) throw refuse.invalid(field, t`the team ${team.name} includes all repositories`)
  await deleteFromTeam(tx, { teamId, repositoryId })
  const members = await findMemberIds(tx, { teamId })
  publish(
    tx,
    { kind: "team.repositoryRemoved", ...onTeam(team, actor), repository: { id: repositoryId } },
    { kind: "access.lost", userIds: members.map((row) => row.user_id), repositoryIds: [repositoryId] },
  )
  return true
}
