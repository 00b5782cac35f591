import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { requireUnblocked } from "../blocks/rules.ts"
import { lockUser, recountFollows } from "../users/store.ts"
import { deleteFollow, insertFollow } from "./store.ts"

/**
 * Lets `follower` follow a user or an organisation; following twice, or oneself, changes nothing.
 * Refuses `forbidden` where one has blocked the other, `notFound` for an account that was deleted.
 */
export async function follow(tx: Transaction, follower: User, followed: User, now: Seconds): Promise<void> {
  if (follower.id === followed.id) return
  await lockUser(tx, follower.id)
  await lockUser(tx, followed.id)
  await requireUnblocked(tx, follower, [followed])
  await requireUnblocked(tx, followed, [follower])
  const added = await insertFollow(tx, { followerId: follower.id, followedId: followed.id, now })
  if (added.length === 0) return
  await recountFollows(tx, [follower.id, followed.id])
  publish(tx, { kind: "user.followed", user: followed, actor: follower, at: now })
}

/** Ends following, if there is any. */
export async function unfollow(tx: Transaction, follower: User, followed: User): Promise<void> {
  const ended = await deleteFollow(tx, { followerId: follower.id, followedId: followed.id })
  if (ended.length === 0) return
  await recountFollows(tx, [follower.id, followed.id])
  publish(tx, { kind: "user.unfollowed", user: followed, actor: follower })
}
