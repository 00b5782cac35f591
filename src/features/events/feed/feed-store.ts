import { type RawBuilder, type Selectable, type SqlBool, sql } from "kysely"
import { ofNoneDeleted, readableRepositories } from "../../../access/visibility.ts"
import { type Actor, actorId, isPublicOnly, isSiteAdministrator } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActivitiesTable } from "../../../core/database/tables/events.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"
import { COMMENT_COLUMNS } from "../../planning/issues/timeline-store.ts"

/**
 * Reading feeds. The repository, actor and unit of an entry decide who may see it, and the database counts the entries that share them
 * (activity_totals), so the length of a feed is known without reading it. Both tables are queried with the same conditions.
 */

export type ActivityRow = Selectable<ActivitiesTable>

/** Whose feed, or the feed of what. */
export type Feed =
  | { readonly of: "account"; readonly receiverId: number; readonly performedOnly: boolean }
  | { readonly of: "repository"; readonly repositoryId: number }
  | { readonly of: "team"; readonly teamId: number; readonly organizationId: number }

export interface FeedQuery {
  readonly feed: Feed
  /** Include entries of private repositories that the caller may see now. */
  readonly withPrivate: boolean
  /** Include entries of users who hide their activity: for the caller's own feed. */
  readonly ofAnybody: boolean
  /** A day: from its start, inclusive, to its end, exclusive. */
  readonly day?: { readonly from: Seconds; readonly to: Seconds } | undefined
}

type Table = "activities" | "activity_totals"
type Condition = RawBuilder<SqlBool>

/** Selects the rows of the table that belong to the feed, as far as they don't depend on what the caller may read. */
function ofFeed(table: Table, actor: Actor, { feed, withPrivate, ofAnybody }: FeedQuery): Condition {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const conditions: Condition[] = [sql<SqlBool>`${column("is_hidden")} = 0`]
  // Written out as in the partial indexes, which cover only the rows that represent an event.
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
  if (!seesAll(actor) && !ofAnybody) conditions.push(visibleActor(actor, column("actor_id")))
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`
}

const seesAll = (actor: Actor): boolean => isSiteAdministrator(actor) && !isPublicOnly(actor)

/** Selects the rows of the table whose unit of their repository the caller may read now. */
const isReadable = (table: string, actor: Actor): Condition =>
  seesAll(actor)
    ? ofNoneDeleted(`${table}.repository_id`)
    : sql<SqlBool>`exists (select 1 from repositories where repositories.id = ${sql.ref(`${table}.repository_id`)}
    and ${readableRepositories(actor, sql<string>`${sql.ref(`${table}.unit`)}`)})`

/** Entries by the caller, and by users who show their activity to the caller. */
function visibleActor(actor: Actor, column: RawBuilder<unknown>): Condition {
  const narrow = actor.kind === "anonymous" || isPublicOnly(actor) || actor.user.is_restricted === 1
  const visibilities = narrow ? sql`('public')` : sql`('public', 'limited')`
  return sql<SqlBool>`(${column} = ${actorId(actor)} or exists (
    select 1 from users as doer where doer.id = ${column} and doer.hide_activity = 0 and doer.visibility in ${visibilities}))`
}

/** A page of a feed, newest first, and the feed's length. */
export async function readFeed(db: Handle, actor: Actor, asked: FeedQuery, { limit, offset }: Page): Promise<Found<ActivityRow>> {
  const { day } = asked
  let rows = db.selectFrom("activities").where(ofFeed("activities", actor, asked))
  rows = rows.where(isReadable("activities", actor))
  if (day) rows = rows.where("activities.created_at", ">=", day.from).where("activities.created_at", "<", day.to)
  const total = day
    ? (await rows.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()).total
    : await lengthOf(db, actor, asked)
  // An empty page needs no query.
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

/** Those who were busy in a repository are summed up before its permission is looked at, which is the same for all of them. */
async function lengthOf(db: Handle, actor: Actor, asked: FeedQuery): Promise<number> {
  const groups = db
    .selectFrom("activity_totals")
    .where(ofFeed("activity_totals", actor, asked))
    .select(["activity_totals.repository_id", "activity_totals.unit", (eb) => eb.fn.sum<number>("activity_totals.total").as("total")])
    .groupBy(["activity_totals.repository_id", "activity_totals.unit"])
  const { total } = await db
    .selectFrom(groups.as("groups"))
    .where(isReadable("groups", actor))
    .select(sql<number>`cast(coalesce(sum(groups.total), 0) as bigint)`.as("total"))
    .executeTakeFirstOrThrow()
  return total
}

/** Comments with their places. */
/** A comment with the issue that it belongs to. */
export type FeedComment = Awaited<ReturnType<typeof findFeedComments>>[number]

export const findFeedComments = query("activity.findComments", (db, p: Params<{ ids: readonly number[] }>) =>
  db
    .selectFrom("comments")
    .innerJoin("issues", "issues.id", "comments.issue_id")
    .select([...COMMENT_COLUMNS, "issues.number", "issues.is_pull", "issues.repository_id"])
    .where("comments.id", "in", p.ids),
)
