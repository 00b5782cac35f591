import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"

/** Gives those that are new. */
export const insertBadges = (tx: Transaction, rows: readonly Insertable<Tables["user_badges"]>[]) =>
  tx
    .insertInto("user_badges")
    .values(rows)
    .onConflict((conflict) => conflict.columns(["user_id", "badge_id"]).doNothing())
    .returning("badge_id")
    .execute()

/** Gives those that the user had. */
export const deleteBadges = (tx: Transaction, { userId, badgeIds }: { readonly userId: number; readonly badgeIds: readonly number[] }) =>
  tx.deleteFrom("user_badges").where("user_id", "=", userId).where(inList("user_badges.badge_id", badgeIds)).returning("badge_id").execute()

export const findBadgesOf = query("users.findBadgesOf", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("user_badges")
    .innerJoin("badges", "badges.id", "user_badges.badge_id")
    .selectAll("badges")
    .where("user_badges.user_id", "=", p.userId)
    .orderBy("badges.id"),
)

export const findBadgesBySlug = query("users.findBadgesBySlug", (db, p: Params<{ slugs: readonly string[] }>) =>
  db.selectFrom("badges").selectAll().where("slug", "in", p.slugs),
)
