import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { publish } from "../../../core/events/publish.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { lockUser } from "../../people/users/store.ts"
import { recountWatchers } from "../repositories/counters.ts"
import { findWatch } from "./store.ts"

/** Watches that people ask for themselves. Those that come and go by themselves are the affair of `teams/watches.ts`. */

/**
 * Makes the caller watch a repository; whoever was made to watch it does so by choice from then on. A new watch is told to the feed.
 * Refuses `forbidden` where the owner has blocked the caller, `notFound` what the caller can no longer reach.
 */
export async function watch(tx: Transaction, actor: SignedIn, repositoryId: number, now: Seconds): Promise<void> {
  const userId = actor.user.id
  // Blocking, and turning private, lock the same rows: neither leaves a watch behind that came a moment later.
  await lockUser(tx, userId)
  await lockRow(tx, "repositories", repositoryId)
  const { repository, owner } = await locateRepositoryById(tx, actor, repositoryId)
  await requireUnblocked(tx, actor.user, [owner])
  const before = await findWatch.first(tx, { userId, repositoryId })
  if (before?.mode === "normal") return
  const isNew = before === undefined || before.mode === "declined"
  await tx
    .insertInto("watches")
    .values({ user_id: userId, repository_id: repositoryId, mode: "normal", created_at: now })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "repository_id"]).doUpdateSet({ mode: "normal", ...(isNew && { created_at: now }) }),
    )
    .execute()
  if (!isNew) return
  await recountWatchers(tx, [repositoryId])
  publish(tx, { kind: "repository.watched", repository, owner, actor: actor.user, at: now })
}

/** Ends a watch, if there was one. Whoever was made to watch is remembered as having declined, so that it doesn't happen again. */
export async function unwatch(tx: Transaction, userId: number, repositoryId: number): Promise<void> {
  await lockRow(tx, "repositories", repositoryId)
  const declined = await tx
    .updateTable("watches")
    .set({ mode: "declined" })
    .where("user_id", "=", userId)
    .where("repository_id", "=", repositoryId)
    .where("mode", "=", "automatic")
    .returning("user_id")
    .execute()
  const ended = await tx
    .deleteFrom("watches")
    .where("user_id", "=", userId)
    .where("repository_id", "=", repositoryId)
    .where("mode", "=", "normal")
    .returning("user_id")
    .execute()
  if (declined.length + ended.length > 0) await recountWatchers(tx, [repositoryId])
}
