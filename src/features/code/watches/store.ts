import { type SqlBool, sql } from "kysely"
import { listedUsers } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { NotificationLevelsTable } from "../../../core/database/tables/attention.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"
import type { Page } from "../../../core/operation.ts"
import { type Found, hiddenAmong } from "../../people/users/store.ts"
import { idsOwnedBy } from "../repositories/store.ts"

export const findWatch = query("watches.findWatch", (db, p: Params<{ userId: number; repositoryId: number }>) =>
  db.selectFrom("watches").select("mode").where("user_id", "=", p.userId).where("repository_id", "=", p.repositoryId),
)

/** How a user watches those of these repositories that they watch, or have declined to. */
export const findWatchesOf = query("watches.findWatchesOf", (db, p: Params<{ userId: number; repositoryIds: readonly number[] }>) =>
  db.selectFrom("watches").select(["repository_id", "mode"]).where("user_id", "=", p.userId).where("repository_id", "in", p.repositoryIds),
)

export const forgetLevel = query("watches.forgetLevel", (db, p: Params<{ userId: number; repositoryId: number }>) =>
  db.deleteFrom("notification_levels").where("user_id", "=", p.userId).where("repository_id", "=", p.repositoryId),
)

/** What a user wants to be told of those of these repositories of which they chose less than all. */
export const findLevelsOf = query("watches.findLevelsOf", (db, p: Params<{ userId: number; repositoryIds: readonly number[] }>) =>
  db
    .selectFrom("notification_levels")
    .select(["repository_id", "level"])
    .where("user_id", "=", p.userId)
    .where("repository_id", "in", p.repositoryIds),
)

/** The users who watch the repository and are visible to the caller, oldest watch first. */
export async function findWatchers(db: Handle, actor: Actor, repositoryId: number, page: Page): Promise<Found<User>> {
  const shown = db
    .selectFrom("watches")
    .innerJoin("users", "users.id", "watches.user_id")
    .where("watches.repository_id", "=", repositoryId)
    .where("watches.mode", "!=", "declined")
    .where(listedUsers(actor))
  const watching = sql<SqlBool>`exists (select 1 from watches
    where watches.repository_id = ${repositoryId} and watches.user_id = users.id and watches.mode != 'declined')`
  const { total } = await db
    .selectFrom("repositories")
    .select(sql<number>`watchers_count - ${hiddenAmong(watching, listedUsers(actor))}`.as("total"))
    .where("id", "=", repositoryId)
    .executeTakeFirstOrThrow()
  const rows = await shown
    .selectAll("users")
    .orderBy("watches.created_at")
    .orderBy("watches.user_id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

/** Who watches, or has declined to watch, a repository of this owner. */
export const findWatchersOfOwned = (tx: Transaction, ownerId: number) =>
  tx.selectFrom("watches").select("user_id").distinct().where("repository_id", "in", idsOwnedBy(tx, ownerId)).execute()

/** Deletes how a user watches the repositories of this owner, or all. */
export const dropWatchesBy = (tx: Transaction, userId: number, ownerId?: number) =>
  tx
    .deleteFrom("watches")
    .where("user_id", "=", userId)
    .$if(ownerId !== undefined, (watches) => watches.where("repository_id", "in", idsOwnedBy(tx, ownerId ?? 0)))
    .returning(["repository_id", "mode"])
    .execute()

interface Watching {
  readonly userId: number
  readonly repositoryId: number
}

/** Stores that a user watches a repository because they want to; the time only where they did not watch it before. */
export async function putWatch(tx: Transaction, { userId, repositoryId }: Watching, now: Seconds, isNew: boolean): Promise<void> {
  await tx
    .insertInto("watches")
    .values({ user_id: userId, repository_id: repositoryId, mode: "normal", created_at: now })
    .onConflict((conflict) =>
      conflict.columns(["user_id", "repository_id"]).doUpdateSet({ mode: "normal", ...(isNew && { created_at: now }) }),
    )
    .execute()
}

/** Ends a watch; an automatic one is kept as declined. Returns whether there was one. */
export async function endWatch(tx: Transaction, { userId, repositoryId }: Watching): Promise<boolean> {
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
  return declined.length + ended.length > 0
}

/** Stores that a user does not want to watch a repository that they don't watch. */
export async function declineWatch(tx: Transaction, { userId, repositoryId }: Watching, now: Seconds): Promise<void> {
  await tx
    .insertInto("watches")
    .values({ user_id: userId, repository_id: repositoryId, mode: "declined", created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Stores what a user wants to be told of a repository; of one level before, `forgetLevel` has been called. */
export async function insertLevel(
  tx: Transaction,
  { userId, repositoryId }: Watching,
  level: NotificationLevelsTable["level"],
): Promise<void> {
  await tx.insertInto("notification_levels").values({ user_id: userId, repository_id: repositoryId, level }).execute()
}
