import { type Params, query } from "../../../core/database/query.ts"

/** Whether any of these accounts has blocked the person. */
export const findBlockOf = query("blocks.findBlockOf", (db, p: Params<{ blockedId: number; blockerIds: readonly number[] }>) =>
  db.selectFrom("blocks").select("id").where("blocked_id", "=", p.blockedId).where("blocker_id", "in", p.blockerIds).limit(1),
)

/** The users that the account has blocked, latest first, with its notes about them. */
export const findBlocked = query("blocks.findBlocked", (db, p: Params<{ blockerId: number; limit: number; offset: number }>) =>
  db
    .selectFrom("blocks")
    .innerJoin("users", "users.id", "blocks.blocked_id")
    .selectAll("users")
    .select("blocks.note")
    .where("blocks.blocker_id", "=", p.blockerId)
    .orderBy("blocks.id", "desc")
    .limit(p.limit)
    .offset(p.offset),
)

export const countBlocked = query("blocks.countBlocked", (db, p: Params<{ blockerId: number }>) =>
  db
    .selectFrom("blocks")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("blocker_id", "=", p.blockerId),
)

/** Those of these accounts that have blocked the user. */
export const findBlocksOf = query("blocks.findAllOf", (db, p: Params<{ blockedId: number; blockerIds: readonly number[] }>) =>
  db.selectFrom("blocks").select("blocker_id").where("blocked_id", "=", p.blockedId).where("blocker_id", "in", p.blockerIds),
)
