import { listedUsers } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

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
  const { total } = await shown.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await shown
    .selectAll("users")
    .orderBy("watches.created_at")
    .orderBy("users.id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

/** Who watches, or has declined to watch, a repository of this owner. */
export const findWatchersOfOwned = (tx: Transaction, ownerId: number) =>
  tx
    .selectFrom("watches")
    .select("user_id")
    .distinct()
    .where("repository_id", "in", tx.selectFrom("repositories").select("id").where("owner_id", "=", ownerId))
    .execute()
