import { Mode } from "../../../access/modes.ts"
import type { Team } from "../../../access/visibility.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"

/** The owners of an organisation: the members of the one team that it always has. */

export const findOwnersTeam = query("teams.findOwnersTeam", (db, p: Params<{ organizationId: number }>) =>
  db.selectFrom("teams").selectAll().where("organization_id", "=", p.organizationId).where("mode", "=", Mode.owner),
)

/** The members of a team. */
export const findMemberIds = query("teams.findMemberIds", (db, p: Params<{ teamId: number }>) =>
  db.selectFrom("team_members").select("user_id").where("team_id", "=", p.teamId),
)

/** The ids of an organisation's repositories. */
const findOwned = query("organizations.findOwned", (db, p: Params<{ organizationId: number }>) =>
  db.selectFrom("repositories").select("id").where("owner_id", "=", p.organizationId).orderBy("id"),
)

/**
 * Publishes that users have left the organisation, whose rows are deleted already. Returns the ids of the organisation's repositories: listeners end
 * what bound these users to them.
 */
export async function publishMembersRemoved(
  tx: Transaction,
  organizationId: number,
  userIds: readonly number[],
): Promise<readonly number[]> {
  const repositoryIds = (await findOwned(tx, { organizationId })).map(({ id }) => id)
  publish(tx, { kind: "organization.membersRemoved", organization: { id: organizationId }, userIds, repositoryIds })
  return repositoryIds
}

/** The team that every organisation starts with, and whose members own it. */
export async function createOwnersTeam(tx: Transaction, organizationId: number, ownerId: number, now: Seconds): Promise<Team> {
  const team = await tx
    .insertInto("teams")
    .values({
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
    .returningAll()
    .executeTakeFirstOrThrow()
  await tx.insertInto("organization_members").values({ organization_id: organizationId, user_id: ownerId, is_public: 0 }).execute()
  await tx.insertInto("team_members").values({ team_id: team.id, user_id: ownerId, organization_id: organizationId }).execute()
  return team
}

/** Refuses as `invalid` where the organisation would have no owner without this user. The organisation's row must be locked. */
export async function requireAnotherOwner(tx: Transaction, ownersTeamId: number, userId: number): Promise<void> {
  const owners = await findMemberIds(tx, { teamId: ownersTeamId })
  if (owners.every((row) => row.user_id === userId))
    throw refuse.invalid("username", "is the last owner; make somebody else an owner first, or delete the organization")
}
