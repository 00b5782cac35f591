import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import type { SignedIn, User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { lockUser } from "../../people/users/store.ts"
import { recountWatchers } from "../repositories/counters-store.ts"
import { declineWatch, endWatch, findWatch, forgetLevel, insertLevel, putWatch } from "./store.ts"

/** What someone is told of a repository: all, what they take part in, of releases too, or nothing. */
export const LEVELS = ["all", "participating", "releases", "ignored"] as const
export type Level = (typeof LEVELS)[number]

/** Watches that users start and end explicitly. Automatic ones are in `automatic.ts`. */

/**
 * Makes the caller watch a repository; an automatic watch becomes an explicit one. A new watch is published to the feed.
 * Refuses `forbidden` if the owner has blocked the caller, `notFound` if the caller can no longer access the repository.
 */
export async function watch(tx: Transaction, actor: SignedIn, repositoryId: number, now: Seconds): Promise<void> {
  const userId = actor.user.id
  // Blocking and making private lock the same rows, so that no watch is added concurrently with either.
  await lockUser(tx, userId)
  await lockRow(tx, "repositories", repositoryId)
  const { repository, owner } = await locateRepositoryById(tx, actor, repositoryId)
  await requireUnblocked(tx, actor.user, [owner])
  await forgetLevel(tx, { userId, repositoryId })
  const before = await findWatch.first(tx, { userId, repositoryId })
  if (before?.mode === "normal") return
  const isNew = before === undefined || before.mode === "declined"
  await putWatch(tx, { userId, repositoryId }, now, isNew)
  if (!isNew) return
  await recountWatchers(tx, [repositoryId])
  publish(tx, { kind: "repository.watched", repository, owner, actor: actor.user, at: now })
}

/** Ends a watch, if there is one. An automatic watch is recorded as declined, so that it isn't added again. */
export async function unwatch(tx: Transaction, user: Pick<User, "id">, repositoryId: number): Promise<void> {
  await lockRow(tx, "repositories", repositoryId)
  if (!(await endWatch(tx, { userId: user.id, repositoryId }))) return
  await recountWatchers(tx, [repositoryId])
  publish(tx, { kind: "repository.unwatched", repository: { id: repositoryId }, actor: user })
}

/**
 * Sets what the caller is told of a repository. Who chose less than all does not watch it, and does not begin to by itself.
 * Refuses like `watch`.
 */
export async function setLevel(tx: Transaction, actor: SignedIn, repositoryId: number, level: Level, now: Seconds): Promise<void> {
  if (level === "all") return watch(tx, actor, repositoryId, now)
  const userId = actor.user.id
  await lockUser(tx, userId)
  await unwatch(tx, actor.user, repositoryId)
  await declineWatch(tx, { userId, repositoryId }, now)
  await forgetLevel(tx, { userId, repositoryId })
  if (level !== "participating") await insertLevel(tx, { userId, repositoryId }, level)
}
