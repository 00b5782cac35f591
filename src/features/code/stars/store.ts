import { listedUsers } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

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
  const { total } = await shown.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await shown
    .selectAll("users")
    .orderBy("stars.created_at")
    .orderBy("users.id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}
