import { type Params, query } from "../../core/database/query.ts"

/** The primary address of a person, if it is confirmed. */
export const findConfirmedAddress = query("mail.findConfirmedAddress", (db, p: Params<{ userId: number }>) =>
  db.selectFrom("emails").select("email").where("user_id", "=", p.userId).where("is_primary", "=", 1).where("is_activated", "=", 1),
)

export const findComment = query("mail.findComment", (db, p: Params<{ id: number }>) =>
  db.selectFrom("comments").select(["id", "content"]).where("id", "=", p.id),
)
