import { type Expression, type SqlBool, sql } from "kysely"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Page } from "../../../core/operation.ts"
import { hiddenAmong } from "../users/store.ts"

export type Direction = "followers" | "following"

export const findFollow = query("users.findFollow", (db, p: Params<{ followerId: number; followedId: number }>) =>
  db.selectFrom("follows").select("created_at").where("follower_id", "=", p.followerId).where("followed_id", "=", p.followedId),
)

/** The followers of a user, or the users they follow, in order of time; only those that `shown` includes. */
export async function listFollows(
  db: Handle,
  { direction, userId, shown }: { readonly direction: Direction; readonly userId: number; readonly shown: Expression<SqlBool> },
  { limit, offset }: Page,
): Promise<{ readonly rows: readonly User[]; readonly total: number }> {
  const [theirs, others] = direction === "followers" ? (["followed_id", "follower_id"] as const) : (["follower_id", "followed_id"] as const)
  const followed = sql<SqlBool>`exists (select 1 from follows where ${sql.ref(`follows.${theirs}`)} = ${userId} and ${sql.ref(`follows.${others}`)} = users.id)`
  const stored = sql.ref<number>(direction === "followers" ? "person.followers_count" : "person.following_count")
  const { total } = await db
    .selectFrom("users as person")
    .select(sql<number>`${stored} - ${hiddenAmong(followed, shown)}`.as("total"))
    .where("person.id", "=", userId)
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom("follows")
    .innerJoin("users", "users.id", `follows.${others}`)
    .where(`follows.${theirs}`, "=", userId)
    .where(shown)
    .selectAll("users")
    .orderBy("follows.created_at")
    .orderBy(`follows.${others}`)
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
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
