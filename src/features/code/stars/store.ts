import { type SqlBool, sql } from "kysely"
import { listedUsers } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"
import type { Page } from "../../../core/operation.ts"
import { type Found, hiddenAmong } from "../../people/users/store.ts"
import { idsOwnedBy } from "../repositories/store.ts"

export const findStar = query("stars.findStar", (db, p: Params<{ userId: number; repositoryId: number }>) =>
  db.selectFrom("stars").select("created_at").where("user_id", "=", p.userId).where("repository_id", "=", p.repositoryId),
)

/** The users who have starred the repository and are visible to the caller, oldest star first. */
export async function findStargazers(db: Handle, actor: Actor, repositoryId: number, page: Page): Promise<Found<User>> {
  const shown = db
    .selectFrom("stars")
    .innerJoin("users", "users.id", "stars.user_id")
    .where("stars.repository_id", "=", repositoryId)
    .where(listedUsers(actor))
  const given = sql<SqlBool>`exists (select 1 from stars where stars.repository_id = ${repositoryId} and stars.user_id = users.id)`
  const { total } = await db
    .selectFrom("repositories")
    .select(sql<number>`stars_count - ${hiddenAmong(given, listedUsers(actor))}`.as("total"))
    .where("id", "=", repositoryId)
    .executeTakeFirstOrThrow()
  const rows = await shown
    .selectAll("users")
    .orderBy("stars.created_at")
    .orderBy("stars.user_id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

/** Deletes all stars of these repositories; returns the ids of the users who gave them, each once. */
export async function dropStars(tx: Transaction, repositoryIds: readonly number[]): Promise<readonly number[]> {
  const dropped = await tx.deleteFrom("stars").where(inList("stars.repository_id", repositoryIds)).returning("user_id").execute()
  return [...new Set(dropped.map(({ user_id }) => user_id))]
}

/** Stores a star; returns whether it is a new one. */
export async function insertStar(
  tx: Transaction,
  { userId, repositoryId, now }: { readonly userId: number; readonly repositoryId: number; readonly now: Seconds },
): Promise<boolean> {
  const made = await tx
    .insertInto("stars")
    .values({ user_id: userId, repository_id: repositoryId, created_at: now })
    .onConflict((conflict) => conflict.columns(["user_id", "repository_id"]).doNothing())
    .returning("user_id")
    .execute()
  return made.length > 0
}

/** Deletes the stars that a user gave to this repository, to those of this owner, or to any; returns the ids of the repositories. */
export async function dropStarsBy(
  tx: Transaction,
  userId: number,
  of: { readonly repositoryId?: number; readonly ownerId?: number } = {},
): Promise<readonly number[]> {
  const { repositoryId, ownerId } = of
  const dropped = await tx
    .deleteFrom("stars")
    .where("user_id", "=", userId)
    .$if(repositoryId !== undefined, (stars) => stars.where("repository_id", "=", repositoryId ?? 0))
    .$if(ownerId !== undefined, (stars) => stars.where("repository_id", "in", idsOwnedBy(tx, ownerId ?? 0)))
    .returning("repository_id")
    .execute()
  return dropped.map(({ repository_id }) => repository_id)
}
