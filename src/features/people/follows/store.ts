import type { Expression, SqlBool } from "kysely"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Page } from "../../../core/operation.ts"

export type Direction = "followers" | "following"

export const findFollow = query("users.findFollow", (db, p: Params<{ followerId: number; followedId: number }>) =>
  db.selectFrom("follows").select("created_at").where("follower_id", "=", p.followerId).where("followed_id", "=", p.followedId),
)

/** The followers of a user (people only), or the users they follow, in order of time; only those that `shown` includes. */
export async function listFollows(
  db: Handle,
  { direction, userId, shown }: { readonly direction: Direction; readonly userId: number; readonly shown: Expression<SqlBool> },
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly User[]; readonly total: number }> {
  const [theirs, others] = direction === "followers" ? (["followed_id", "follower_id"] as const) : (["follower_id", "followed_id"] as const)
  const base = db
    .selectFrom("follows")
    .innerJoin("users", "users.id", `follows.${others}`)
    .where(`follows.${theirs}`, "=", userId)
    .where(shown)
    .$if(direction === "followers", (people) => people.where("users.kind", "=", "person"))
  const counted = await base.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await base.selectAll("users").orderBy("follows.created_at").orderBy("users.id").limit(limit).offset(offset).execute()
  return { rows, total: counted.total }
}

/** Gives no row where there is such already. */
export const insertFollow = (
  tx: Transaction,
  { followerId, followedId, now }: { readonly followerId: number; readonly followedId: number; readonly now: number },
) =>
  tx
    .insertInto("follows")
    .values({ follower_id: followerId, followed_id: followedId, created_at: now })
    .onConflict((conflict) => conflict.columns(["follower_id", "followed_id"]).doNothing())
    .returning("followed_id")
    .execute()

export const deleteFollow = (tx: Transaction, { followerId, followedId }: { readonly followerId: number; readonly followedId: number }) =>
  tx.deleteFrom("follows").where("follower_id", "=", followerId).where("followed_id", "=", followedId).returning("followed_id").execute()

/** Those among these accounts no longer follow each other. */
export const deleteFollowsBetween = (tx: Transaction, userIds: readonly number[]) =>
  tx.deleteFrom("follows").where("follower_id", "in", userIds).where("followed_id", "in", userIds).execute()

/** An account follows no one any more, and no one follows it; gives who did. */
export const deleteFollowsOf = (tx: Transaction, userId: number) =>
  tx
    .deleteFrom("follows")
    .where((eb) => eb.or([eb("follower_id", "=", userId), eb("followed_id", "=", userId)]))
    .returning(["follower_id", "followed_id"])
    .execute()
