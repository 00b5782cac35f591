import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { lockUser } from "../../people/users/store.ts"
import { recountStars } from "../repositories/counters-store.ts"
import { dropStarsBy, insertStar } from "./store.ts"

/**
 * Adds the caller's star to a repository, and publishes it to the feed; starring again changes nothing.
 * Refuses `forbidden` if the owner has blocked the caller, `notFound` if the caller can no longer access the repository.
 */
export async function star(tx: Transaction, actor: SignedIn, repositoryId: number, now: Seconds): Promise<void> {
  // Blocking and making private lock the same rows, so that no star is added concurrently with either.
  await lockUser(tx, actor.user.id)
  await lockRow(tx, "repositories", repositoryId)
  const { repository, owner } = await locateRepositoryById(tx, actor, repositoryId)
  await requireUnblocked(tx, actor.user, [owner])
  if (!(await insertStar(tx, { userId: actor.user.id, repositoryId, now }))) return
  await recountStars(tx, { repositoryIds: [repositoryId], userIds: [actor.user.id] })
  publish(tx, { kind: "repository.starred", repository, owner, actor: actor.user, at: now })
}

/** Removes the user's star, if there is one. */
export async function unstar(tx: Transaction, user: Pick<User, "id">, repositoryId: number): Promise<void> {
  if ((await dropStarsBy(tx, user.id, { repositoryId })).length === 0) return
  await recountStars(tx, { repositoryIds: [repositoryId], userIds: [user.id] })
  publish(tx, { kind: "repository.unstarred", repository: { id: repositoryId }, actor: user })
}
