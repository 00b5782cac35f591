import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely"
import { readableRepositories } from "../../../access/visibility.ts"
import { type Actor, actorId, isPublicOnly, isSiteAdministrator } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { ActivitiesTable, Seconds } from "../../../core/database/tables.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

/**
 * Reading feeds. Who may see an entry depends on its repository, actor and unit alone, and how many entries are alike in these the database
 * knows (activity_totals), so that a feed's length takes no walk along it. Both tables are asked with the same conditions.
 */

export type ActivityRow = Selectable<ActivitiesTable>

/** Whose feed, or what of. */
export type Feed =
  | { readonly of: "account"; readonly receiverId: number; readonly performedOnly: boolean }
  | { readonly of: "repository"; readonly repositoryId: number }
  | { readonly of: "team"; readonly teamId: number; readonly organizationId: number }

export interface Asked {
  readonly feed: Feed
  /** Entries of private repositories too, as far as the caller may see those now. */
  readonly withPrivate: boolean
  /** Also what people did who hide it: it is the caller's own feed. */
  readonly ofAnybody: boolean
  /** A day: from its first to before its end. */
  readonly day?: { readonly from: Seconds; readonly to: Seconds } | undefined
}

type Table = "activities" | "activity_totals"
type Condition = RawBuilder<SqlBool>

/** Which rows of the table belong to the feed and are shown to the caller now. */
function shown(table: Table, actor: Actor, { feed, withPrivate, ofAnybody }: Asked): Condition {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const conditions: Condition[] = [sql<SqlBool>`${column("is_hidden")} = 0`]
  // Written out as the indexes have it, which cover only the rows that stand for an event.
  const original = sql<SqlBool>`${column("receiver_id")} = ${column("actor_id")}`
  switch (feed.of) {
    case "account":
      conditions.push(sql<SqlBool>`${column("receiver_id")} = ${feed.receiverId}`)
      if (feed.performedOnly) conditions.push(original)
      break
    case "repository":
      conditions.push(sql<SqlBool>`${column("repository_id")} = ${feed.repositoryId}`, original)
      break
    case "team":
      conditions.push(
        sql<SqlBool>`${column("receiver_id")} = ${feed.organizationId}`,
        sql<SqlBool>`${column("repository_id")} in (select repository_id from team_repositories where team_id = ${feed.teamId})`,
      )
      break
  }
  if (!withPrivate) conditions.push(sql<SqlBool>`${column("is_private")} = 0`)
  const seesAll = isSiteAdministrator(actor) && !isPublicOnly(actor)
  if (!seesAll) {
    if (!ofAnybody) conditions.push(openActor(actor, column("actor_id")))
    conditions.push(
      sql<SqlBool>`exists (select 1 from repositories where repositories.id = ${column("repository_id")}
        and ${readableRepositories(actor, sql<string>`${column("unit")}`)})`,
    )
  }
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

/** What the caller did itself, and what people did who show it to the caller. */
function openActor(actor: Actor, column: RawBuilder<unknown>): Condition {
  const narrow = actor.kind === "anonymous" || isPublicOnly(actor) || actor.user.is_restricted === 1
  const visibilities = narrow ? sql`('public')` : sql`('public', 'limited')`
  return sql<SqlBool>`(${column} = ${actorId(actor)} or exists (
    select 1 from users as doer where doer.id = ${column} and doer.hide_activity = 0 and doer.visibility in ${visibilities}))`
}

/** A page of a feed and its length: newest first. */
export async function readFeed(db: Handle, actor: Actor, asked: Asked, { limit, offset }: Page): Promise<Found<ActivityRow>> {
  const { day } = asked
  let rows = db.selectFrom("activities").where(shown("activities", actor, asked))
  if (day) rows = rows.where("activities.created_at", ">=", day.from).where("activities.created_at", "<", day.to)
  const total = day
    ? (await rows.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()).total
    : await lengthOf(db, actor, asked)
  // Nothing to read where there is nothing on the page.
  if (total <= offset) return { rows: [], total }
  const page = await rows
    .selectAll("activities")
    .orderBy("activities.created_at", "desc")
    .orderBy("activities.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows: page, total }
}

async function lengthOf(db: Handle, actor: Actor, asked: Asked): Promise<number> {
  const { total } = await db
    .selectFrom("activity_totals")
    .where(shown("activity_totals", actor, asked))
    .select(sql<number>`cast(coalesce(sum(activity_totals.total), 0) as bigint)`.as("total"))
    .executeTakeFirstOrThrow()
  return total
}
