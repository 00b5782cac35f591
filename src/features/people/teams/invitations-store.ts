import type { Selectable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { TeamInvitationsTable } from "../../../core/database/tables/attention.ts"

export type TeamInvitation = Selectable<TeamInvitationsTable>

export const findTeamInvitation = query("teams.findInvitation", (db, p: Params<{ id: number }>) =>
  db.selectFrom("team_invitations").selectAll().where("id", "=", p.id),
)

/** Those that are open, newest first, with the name of who invited. */
export const findTeamInvitations = query("teams.findInvitations", (db, p: Params<{ teamId: number; now: number }>) =>
  db
    .selectFrom("team_invitations")
    .innerJoin("users", "users.id", "team_invitations.invited_by")
    .selectAll("team_invitations")
    .select("users.name as inviter")
    .where("team_id", "=", p.teamId)
    .where("expires_at", ">", p.now)
    .orderBy("team_invitations.id", "desc"),
)

export const deleteTeamInvitation = query("teams.deleteInvitation", (db, p: Params<{ id: number; sentAt: number }>) =>
  db.deleteFrom("team_invitations").where("id", "=", p.id).where("sent_at", "=", p.sentAt),
)

export const deleteOldTeamInvitations = query("teams.deleteOldInvitations", (db, p: Params<{ now: number }>) =>
  db.deleteFrom("team_invitations").where("expires_at", "<=", p.now),
)

/** Invites an address, or prolongs its invitation. */
export const saveTeamInvitation = (
  tx: Transaction,
  {
    expiresAt,
    teamId,
    lowerEmail,
    invitedBy,
    now,
  }: { readonly expiresAt: number; readonly teamId: number; readonly lowerEmail: string; readonly invitedBy: number; readonly now: number },
) =>
  tx
    .insertInto("team_invitations")
    .values({
      team_id: teamId,
      lower_email: lowerEmail,
      invited_by: invitedBy,
      created_at: now,
      sent_at: now,
      expires_at: expiresAt,
    })
    .onConflict((conflict) =>
      conflict.columns(["team_id", "lower_email"]).doUpdateSet({ invited_by: invitedBy, sent_at: now, expires_at: expiresAt }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
