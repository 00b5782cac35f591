import { Mode } from "../../../access/modes.ts"
import { findTeam, findTeamMember } from "../../../access/store.ts"
import type { Team } from "../../../access/visibility.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { requireUnblocked } from "../blocks/rules.ts"
import { addToOrganization, addToTeam, removeFromTeam, removeWithoutTeam } from "../organizations/members-store.ts"
import { publishMembersRemoved, requireAnotherOwner } from "../organizations/owners.ts"
import { noteGrant } from "../users/factors-store.ts"
import { findRepositoryIds } from "./store.ts"

/** Members of teams, and thereby of organisations. Every change locks the organisation's row: two at once can't both remove the last one. */

/** The team, with its organisation locked. Refuses as `notFound` a team that was deleted meanwhile. */
export async function lockTeam(tx: Transaction, teamId: number): Promise<Team> {
  const seen = await findTeam.first(tx, { id: teamId })
  if (seen) await lockRow(tx, "users", seen.organization_id)
  const team = seen && (await findTeam.first(tx, { id: teamId }))
  if (!team) throw refuse.notFound()
  return team
}

/** What the events of a team carry. */
export const onTeam = (team: Team, actor: Pick<User, "id">) => ({ team, organization: { id: team.organization_id }, actor })

/**
 * Adds a user to a team, and thereby to the organisation, where the membership is concealed at first. A user who is a member already
 * remains one.
 *
 * Refuses as `notFound` a deleted team, as `invalid` an organisation, and as `forbidden` a user whom the organisation has blocked.
 */
export async function addTeamMember(tx: Transaction, actor: Pick<User, "id">, teamId: number, user: User): Promise<void> {
  if (user.kind !== "person") throw refuse.invalid("username", t`${user.name} is an organization; teams consist of people`)
  const team = await lockTeam(tx, teamId)
  await requireUnblocked(tx, user, [{ id: team.organization_id }])
  await addToOrganization(tx, { organizationId: team.organization_id, userId: user.id })
  await noteGrant.changes(tx, { organizationId: team.organization_id, userId: user.id })
  const added = await addToTeam(tx, { teamId: team.id, userId: user.id, organizationId: team.organization_id })
  if (added.length === 0) return
  publish(
    tx,
    { kind: "team.memberAdded", ...onTeam(team, actor), user },
    { kind: "access.granted", teamIds: [team.id], userIds: [user.id] },
  )
}

/**
 * Removes a user from a team, and with the last team from the organisation. Does nothing for a user who is no member.
 * Refuses as `notFound` a deleted team, as `invalid` the last owner.
 */
export async function removeTeamMember(tx: Transaction, actor: Pick<User, "id">, teamId: number, userId: number): Promise<void> {
  const team = await lockTeam(tx, teamId)
  if ((await findTeamMember.first(tx, { teamId, userId })) === undefined) return
  if (team.mode === Mode.owner) await requireAnotherOwner(tx, team.id, userId)
  await removeFromTeam(tx, { teamId, userId })
  publish(tx, { kind: "team.memberRemoved", ...onTeam(team, actor), user: { id: userId } })
  await removeMembersWithoutTeam(tx, team.organization_id, [userId], actor)
  const repositories = await findRepositoryIds(tx, { teamId })
  publishLost(
    tx,
    [userId],
    repositories.map((row) => row.repository_id),
  )
}

/** Publishes that members may have lost access to the repositories of a team, if it has any. */
export function publishLost(tx: Transaction, userIds: readonly number[], repositoryIds: readonly number[]): void {
  if (repositoryIds.length > 0) publish(tx, { kind: "access.lost", userIds, repositoryIds })
}

/** Members of an organisation need a team: those of these users who have none left leave it and stop watching its repositories. */
export async function removeMembersWithoutTeam(
  tx: Transaction,
  organizationId: number,
  userIds: readonly number[],
  actor?: Pick<User, "id">,
): Promise<void> {
  const left = await removeWithoutTeam(tx, { organizationId, userIds })
  const leaving = left.map((row) => row.user_id)
  if (leaving.length > 0) await publishMembersRemoved(tx, organizationId, { userIds: leaving, because: "withoutTeam", actor })
}
