import type { Transaction } from "../../../core/database/database.ts"
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

/** Writes a block down; of one that exists already, the note, if one is given. */
export const saveBlock = (
  tx: Transaction,
  {
    blockerId,
    blockedId,
    note,
    now,
  }: { readonly blockerId: number; readonly blockedId: number; readonly note: string | undefined; readonly now: number },
) =>
  tx
    .insertInto("blocks")
    .values({ blocker_id: blockerId, blocked_id: blockedId, note: note ?? "", created_at: now })
    .onConflict((conflict) => conflict.columns(["blocker_id", "blocked_id"]).doUpdateSet((eb) => ({ note: note ?? eb.ref("blocks.note") })))
    .execute()

export const deleteBlock = (tx: Transaction, { blockerId, blockedId }: { readonly blockerId: number; readonly blockedId: number }) =>
  tx.deleteFrom("blocks").where("blocker_id", "=", blockerId).where("blocked_id", "=", blockedId).returning("id").execute()
