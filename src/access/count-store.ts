import { type SelectQueryBuilder, sql } from "kysely"
import type { Actor } from "../core/actor.ts"
import type { Handle } from "../core/database/database.ts"
import type { Tables } from "../core/database/tables/index.ts"
import { reachOf, visibleRepositories } from "./visibility.ts"

/** How many repositories there are that are visible to the caller. What is open to all of their kind is counted already. */
export async function countVisible(db: Handle, actor: Actor): Promise<number> {
  const count = (some: SelectQueryBuilder<Tables, "repositories", object>) => some.select((b) => b.fn.countAll<number>().as("total"))
  const visible = db.selectFrom("repositories").where(visibleRepositories(actor))
  const reach = reachOf(actor)
  if (!reach) return (await count(visible).executeTakeFirstOrThrow()).total
  const { openness, others, except } = reach
  const more = others ? count(visible.where(others).where("repositories.openness", ">", openness)) : sql<number>`0`
  const less = except ? count(db.selectFrom("repositories").where(except)) : sql<number>`0`
  const { total } = await db
    .selectFrom("repository_totals")
    .where("openness", "<=", openness)
    .select(sql<number>`cast(coalesce(sum(total), 0) as bigint) + ${more} - ${less}`.as("total"))
    .executeTakeFirstOrThrow()
  return total
}
