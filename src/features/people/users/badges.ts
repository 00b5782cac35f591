import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { findBadgesBySlug } from "./store.ts"

/** The ids of the badges. Refuses as `invalid`, for `badge_slugs`, an unknown badge. */
async function badgeIds(tx: Transaction, slugs: readonly string[]): Promise<readonly number[]> {
  const badges = await findBadgesBySlug(tx, { slugs })
  const unknown = slugs.find((slug) => badges.every((badge) => badge.slug !== slug))
  if (unknown !== undefined) throw refuse.invalid("badge_slugs", `there is no badge ${unknown}`)
  return badges.map(({ id }) => id)
}

/** Gives badges to a user, all or none. Refuses as `invalid`, for `badge_slugs`, an unknown badge. */
export async function addBadges(tx: Transaction, user: User, slugs: readonly string[]): Promise<void> {
  for (const id of await badgeIds(tx, slugs))
    await tx
      .insertInto("user_badges")
      .values({ user_id: user.id, badge_id: id })
      .onConflict((conflict) => conflict.columns(["user_id", "badge_id"]).doNothing())
      .execute()
}

/** Removes badges from a user; those that they don't have are ignored. Refuses as `invalid`, for `badge_slugs`, an unknown badge. */
export async function removeBadges(tx: Transaction, user: User, slugs: readonly string[]): Promise<void> {
  for (const id of await badgeIds(tx, slugs))
    await tx.deleteFrom("user_badges").where("user_id", "=", user.id).where("badge_id", "=", id).execute()
}
