import { type Params, query } from "../../../../core/database/query.ts"

export const findInvitation = query("registration.findInvitation", (db, p: Params<{ id: number }>) =>
  db.selectFrom("invitations").selectAll().where("id", "=", p.id),
)

export const findInvitationOf = query("registration.findInvitationOf", (db, p: Params<{ lowerEmail: string }>) =>
  db.selectFrom("invitations").selectAll().where("lower_email", "=", p.lowerEmail),
)

/** Invites an address, again where it was invited before: the codes of earlier mails are void then. */
export const saveInvitation = query(
  "registration.saveInvitation",
  (db, p: Params<{ lowerEmail: string; invitedBy: number | null; now: number; expiresAt: number }>) =>
    db
      .insertInto("invitations")
      .values({ lower_email: p.lowerEmail, invited_by: p.invitedBy, created_at: p.now, sent_at: p.now, expires_at: p.expiresAt })
      .onConflict((conflict) =>
        conflict.column("lower_email").doUpdateSet({ invited_by: p.invitedBy, sent_at: p.now, expires_at: p.expiresAt }),
      )
      .returningAll(),
)

/** Uses an invitation up, or takes it back. */
export const deleteInvitation = query("registration.deleteInvitation", (db, p: Params<{ id: number; expiresAt: number }>) =>
  db.deleteFrom("invitations").where("id", "=", p.id).where("expires_at", "=", p.expiresAt),
)

export const deleteOldInvitations = query("registration.deleteOldInvitations", (db, p: Params<{ now: number }>) =>
  db.deleteFrom("invitations").where("expires_at", "<=", p.now),
)
