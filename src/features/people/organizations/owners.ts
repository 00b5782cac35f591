import { Mode } from "../../../access/modes.ts"
import type { Team } from "../../../access/visibility.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import type { EventOf } from "../../../core/events/event.ts"
import { publish } from "../../../core/events/publish.ts"
import { addToOrganization, addToTeam, findMemberIds, findOwnedIds, insertTeam } from "./members-store.ts"

/** The owners of an organisation: the members of the one team that it always has. */

/** Publishes that users have left the organisation, whose rows are deleted already; listeners end what bound these users to its repositories. */
export async function publishMembersRemoved(
  tx: Transaction,
  organizationId: number,
  left: Pick<EventOf<"organization.membersRemoved">, "userIds" | "because" | "actor">,
): Promise<void> {
  const repositoryIds = (await findOwnedIds(tx, { organizationId })).map(({ id }) => id)
  publish(tx, { kind: "organization.membersRemoved", organization: { id: organizationId }, ...left, repositoryIds })
}

/** The team that every organisation starts with, and whose members own it. */
export async function createOwnersTeam(tx: Transaction, organizationId: number, ownerId: number, now: Seconds): Promise<Team> {
  const team = await insertTeam(tx, {
    organization_id: organizationId,
    name: "Owners",
    lower_name: "owners",
    description: "",
    mode: Mode.owner,
    includes_all_repositories: 1,
    can_create_repositories: 1,
    visibility: "limited",
    created_at: now,
  })
  await addToOrganization(tx, { organizationId, userId: ownerId })
  await addToTeam(tx, { teamId: team.id, userId: ownerId, organizationId })
  return team
}

/** Refuses as `invalid` where the organisation would have no owner without this user. The organisation's row must be locked. */
export async function requireAnotherOwner(tx: Transaction, ownersTeamId: number, userId: number): Promise<void> {
  const owners = await findMemberIds(tx, { teamId: ownersTeamId })
  if (owners.every((row) => row.user_id === userId))
    throw refuse.invalid("username", "is the last owner; make someone else an owner first, or delete the organization")
}
