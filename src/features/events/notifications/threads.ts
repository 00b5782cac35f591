import { type Selectable, type SqlBool, sql } from "kysely"
import { readableRepositories } from "../../../access/visibility.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { NotificationsTable } from "../../../core/database/tables/issues.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

/**
 * Finding a user's threads, however many there are. A query is divided into groups of one status and one subject: each is a range of an
 * index in the order of the list, and its length is known without counting (see notification_totals).
 */

export type Thread = Selectable<NotificationsTable>
export type Status = Thread["status"]
export type Subject = Thread["subject"]

export const STATUSES: readonly Status[] = ["unread", "read", "pinned"]
export const SUBJECTS: readonly Subject[] = ["issue", "pull", "repository"]

/** Selects threads of the caller. Times are inclusive. */
export interface ThreadFilter {
  readonly repositoryId?: number
  readonly statuses: readonly Status[]
  readonly subjects: readonly Subject[]
  readonly since?: Seconds | undefined
  readonly before?: Seconds | undefined
}

/** Threads of one status and subject. */
interface Group {
  readonly status: Status
  readonly subject: Subject
  /** How many of them the caller may see. */
  readonly shown: number
  /** The repositories of others whose subjects the caller may no longer see. */
  readonly hidden: readonly number[]
}

/** The non-empty groups of the selection; one query. */
async function groupsOf(db: Handle, actor: SignedIn, filter: ThreadFilter): Promise<readonly Group[]> {
  const unit = sql<string>`case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' else '' end`
  let totals = db
    .selectFrom("notification_totals")
    .innerJoin("repositories", "repositories.id", "notification_totals.repository_id")
    .select(["repository_id", "subject", "status", "total"])
    .select(sql<number>`case when ${readableRepositories(actor, unit)} then 1 else 0 end`.as("visible"))
    .where("notification_totals.user_id", "=", actor.user.id)
    .where("notification_totals.total", ">", 0)
    .where(inList("notification_totals.status", filter.statuses))
    .where(inList("notification_totals.subject", filter.subjects))
  if (filter.repositoryId !== undefined) totals = totals.where("notification_totals.repository_id", "=", filter.repositoryId)
  // Visible repositories are only summed up; invisible ones are listed.
  const hiding = sql<number>`case when visible = 1 then 0 else repository_id end`
  const rows = await db
    .selectFrom(totals.as("totals"))
    .select(["subject", "status", hiding.as("hidden_id")])
    .select((eb) => sql<number>`cast(${eb.fn.sum("total")} as bigint)`.as("total"))
    .groupBy(["subject", "status", hiding])
    .execute()
  const groups = Map.groupBy(rows, ({ subject, status }) => `${subject} ${status}`)
  return [...groups.values()].flatMap((kind) => {
    const [first] = kind
    if (!first) return []
    const shown = kind.find(({ hidden_id }) => hidden_id === 0)?.total ?? 0
    const hidden = kind.flatMap(({ hidden_id }) => (hidden_id === 0 ? [] : hidden_id))
    return [{ status: first.status, subject: first.subject, shown, hidden }]
  })
}

/** The threads of a group that the caller may see. */
function rangeOf(db: Handle, actor: SignedIn, filter: ThreadFilter, group: Group) {
  let range = db
    .selectFrom("notifications")
    .select(["notifications.id", "notifications.updated_at"])
    .where("notifications.user_id", "=", actor.user.id)
    .where("notifications.status", "=", group.status)
    .where("notifications.subject", "=", group.subject)
  if (filter.repositoryId !== undefined) range = range.where("notifications.repository_id", "=", filter.repositoryId)
  if (filter.since !== undefined) range = range.where("notifications.updated_at", ">=", filter.since)
  if (filter.before !== undefined) range = range.where("notifications.updated_at", "<=", filter.before)
  if (group.hidden.length === 0) return range
  // Written this way, SQLite needn't distinguish "not among them" from "unknown", which would be several times slower.
  return range.where(sql<SqlBool>`case when ${inList("notifications.repository_id", group.hidden)} then 0 else 1 end = 1`)
}

/**
 * The first `count` of all ranges, latest change first. Each range comes from its index in that order, so merging them needs no sort:
 * SQLite detects this by itself, PostgreSQL where each range has an order and a limit.
 */
function newestOf(db: Handle, ranges: readonly ReturnType<typeof rangeOf>[], count: number) {
  const order = portable({ sqlite: sql``, postgres: sql`order by updated_at desc, id desc limit ${count}` })
  const [first, ...others] = ranges.map((range) => db.selectFrom(range.modifyEnd(order).as("range")).select(["id", "updated_at"]))
  if (first === undefined) return undefined
  const all = others.reduce((union, range) => union.unionAll(range), first)
  return db.selectFrom(all.as("ranges")).select(["id", "updated_at"]).orderBy("updated_at", "desc").orderBy("id", "desc")
}

/** A page of the caller's threads, latest change first, and how many there are. */
export async function findThreads(db: Handle, actor: SignedIn, filter: ThreadFilter, { limit, offset }: Page): Promise<Found<Thread>> {
  const groups = (await groupsOf(db, actor, filter)).filter((group) => group.shown > 0)
  const ranges = groups.map((group) => rangeOf(db, actor, filter, group))
  const timed = filter.since !== undefined || filter.before !== undefined
  const total = timed ? await countOf(ranges) : groups.reduce((all, group) => all + group.shown, 0)
  const found = newestOf(db, ranges, offset + limit)
  if (found === undefined || total <= offset) return { rows: [], total }
  const rows = await db
    .selectFrom(found.limit(limit).offset(offset).as("found"))
    .innerJoin("notifications", "notifications.id", "found.id")
    .selectAll("notifications")
    .orderBy("found.updated_at", "desc")
    .orderBy("found.id", "desc")
    .execute()
  return { rows, total }
}

/** Between two times the rows must be counted; the index covers all columns needed. */
async function countOf(ranges: readonly ReturnType<typeof rangeOf>[]): Promise<number> {
  const [first, ...others] = ranges.map((range) => range.clearSelect().select((eb) => eb.fn.countAll<number>().as("total")))
  if (first === undefined) return 0
  const counted = await others.reduce((all, range) => all.unionAll(range), first).execute()
  return counted.reduce((all, { total }) => all + total, 0)
}

/** How many threads of that status the caller has. */
export async function countThreads(db: Handle, actor: SignedIn, status: Status): Promise<number> {
  const groups = await groupsOf(db, actor, { statuses: [status], subjects: SUBJECTS })
  return groups.reduce((all, group) => all + group.shown, 0)
}

/** The ids of the newest selected threads, at most `count`. */
export async function findNewestIds(
  db: Handle,
  actor: SignedIn,
  filter: ThreadFilter,
  count: number,
): Promise<readonly { readonly id: number; readonly updated_at: Seconds }[]> {
  const groups = (await groupsOf(db, actor, filter)).filter((group) => group.shown > 0)
  const found = newestOf(
    db,
    groups.map((group) => rangeOf(db, actor, filter, group)),
    count,
  )
  return found === undefined ? [] : found.limit(count).execute()
}
