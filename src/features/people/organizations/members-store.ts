import type { Insertable } from "kysely"
import { Mode } from "../../../access/modes.ts"
import type { Team } from "../../../access/visibility.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { flag, type Tables } from "../../../core/database/tables/index.ts"

export const findOwnersTeam = query("teams.findOwnersTeam", (db, p: Params<{ organizationId: number }>) =>
  db.selectFrom("teams").selectAll().where("organization_id", "=", p.organizationId).where("mode", "=", Mode.owner),
)

/** The members of a team. */
export const findMemberIds = query("teams.findMemberIds", (db, p: Params<{ teamId: number }>) =>
  db.selectFrom("team_members").select("user_id").where("team_id", "=", p.teamId),
)

/** The ids of an organisation's repositories. */
export const findOwnedIds = query("organizations.findOwned", (db, p: Params<{ organizationId: number }>) =>
  db.selectFrom("repositories").select("id").where("owner_id", "=", p.organizationId).orderBy("id"),
)

export const insertTeam = (tx: Transaction, row: Insertable<Tables["teams"]>): Promise<Team> =>
  tx.insertInto("teams").values(row).returningAll().executeTakeFirstOrThrow()

/** Makes someone a member, whom others don't see at first. Changes nothing for a member. */
export const addToOrganization = (
  tx: Transaction,
  { organizationId, userId }: { readonly organizationId: number; readonly userId: number },
) =>
  tx
    .insertInto("organization_members")
    .values({ organization_id: organizationId, user_id: userId, is_public: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Gives no row for a member of the team. */
export const addToTeam = (
  tx: Transaction,
  { teamId, userId, organizationId }: { readonly teamId: number; readonly userId: number; readonly organizationId: number },
) =>
  tx
    .insertInto("team_members")
    .values({ team_id: teamId, user_id: userId, organization_id: organizationId })
    .onConflict((conflict) => conflict.doNothing())
    .returning("user_id")
    .execute()

export const removeFromTeam = (tx: Transaction, { teamId, userId }: { readonly teamId: number; readonly userId: number }) =>
  tx.deleteFrom("team_members").where("team_id", "=", teamId).where("user_id", "=", userId).execute()

/** Those of these people who are in no team of the organization any more are no members; gives who that is. */
export const removeWithoutTeam = (
  tx: Transaction,
  { organizationId, userIds }: { readonly organizationId: number; readonly userIds: readonly number[] },
) =>
  tx
    .deleteFrom("organization_members")
    .where("organization_id", "=", organizationId)
    .where(inList("organization_members.user_id", userIds))
    .where("user_id", "not in", tx.selectFrom("team_members").select("user_id").where("organization_id", "=", organizationId))
    .returning("user_id")
    .execute()

export const removeFromTeams = (
  tx: Transaction,
  { organizationId, userId }: { readonly organizationId: number; readonly userId: number },
) => tx.deleteFrom("team_members").where("organization_id", "=", organizationId).where("user_id", "=", userId).execute()

export const removeFromOrganization = (
  tx: Transaction,
  { organizationId, userId }: { readonly organizationId: number; readonly userId: number },
) => tx.deleteFrom("organization_members").where("organization_id", "=", organizationId).where("user_id", "=", userId).execute()

/** Shows a membership, or conceals it. Gives no row where that is so already. */
export const saveIsPublic = (
  tx: Transaction,
  { isPublic, organizationId, userId }: { readonly isPublic: boolean; readonly organizationId: number; readonly userId: number },
) =>
  tx
    .updateTable("organization_members")
    .set({ is_public: flag(isPublic) })
    .where("organization_id", "=", organizationId)
    .where("user_id", "=", userId)
    .where("is_public", "=", flag(!isPublic))
    .returning("user_id")
    .executeTakeFirst()
