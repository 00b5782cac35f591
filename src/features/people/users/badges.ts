import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { slicesOf } from "../../../core/database/slices.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { deleteBadges, findBadgesBySlug, insertBadges } from "./badges-store.ts"

/** The ids of the badges. Refuses as `invalid`, for `badge_slugs`, an unknown badge. */
async function badgeIds(tx: Transaction, slugs: readonly string[]): Promise<readonly number[]> {
  const badges = await findBadgesBySlug(tx, { slugs })
  const unknown = slugs.find((slug) => badges.every((badge) => badge.slug !== slug))
  if (unknown !== undefined) throw refuse.invalid("badge_slugs", t`there is no badge ${unknown}`)
  return badges.map(({ id }) => id)
}

/** Gives badges to a user, all or none. Refuses as `invalid`, for `badge_slugs`, an unknown badge. */
export async function addBadges(tx: Transaction, actor: User, user: User, slugs: readonly string[]): Promise<void> {
  const ids = await badgeIds(tx, slugs)
  if (ids.length === 0) return
  let added = 0
  for (const slice of slicesOf(ids.map((id) => ({ user_id: user.id, badge_id: id })))) added += (await insertBadges(tx, slice)).length
  if (added > 0) publish(tx, { kind: "user.edited", user, actor, changed: ["badges"] })
}

/** Removes badges from a user; those that they don't have are ignored. Refuses as `invalid`, for `badge_slugs`, an unknown badge. */
export async function removeBadges(tx: Transaction, actor: User, user: User, slugs: readonly string[]): Promise<void> {
  const ids = await badgeIds(tx, slugs)
  if (ids.length === 0) return
  const removed = await deleteBadges(tx, { userId: user.id, badgeIds: ids })
  if (removed.length > 0) publish(tx, { kind: "user.edited", user, actor, changed: ["badges"] })
}
