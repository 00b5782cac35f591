import { type Expression, expressionBuilder, type Selectable, type SqlBool, sql } from "kysely"
import { readableRepositories } from "../../access/visibility.ts"
import type { SignedIn } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { inList } from "../../core/database/expressions.ts"
import type { NotificationsTable } from "../../core/database/tables/issues.ts"
import type { Seconds, Tables } from "../../core/database/tables.ts"
import type { Page } from "../../core/operation.ts"
import type { Found } from "../users/store.ts"

/**
 * Finding threads of one person, however many there are. What is asked for is taken apart into groups of one status and one subject: each
 * is a range of an index in the order of the list, and its length is known without counting (see notification_totals).
 */

export type Thread = Selectable<NotificationsTable>
export type Status = Thread["status"]
export type Subject = Thread["subject"]

export const STATUSES: readonly Status[] = ["unread", "read", "pinned"]
export const SUBJECTS: readonly Subject[] = ["issue", "pull", "repository"]

/** Which threads of the caller are meant. Moments are inclusive. */
export interface Asked {
  readonly repositoryId?: number
  readonly statuses: readonly Status[]
  readonly subjects: readonly Subject[]
  readonly since?: Seconds | undefined
  readonly before?: Seconds | undefined
}

/** Threads of one kind. */
interface Group {
  readonly status: Status
  readonly subject: Subject
  /** How many there are whose subject the caller may see. */
  readonly shown: number
  /** How many there are whose subject the caller may see no more. */
  readonly hidden: number
}

/** The unit that a subject belongs to. */
const UNITS = { issue: "repo.issues", pull: "repo.pulls", repository: "" } as const satisfies Readonly<Record<Subject, string>>

/** What there is of what is asked for, in groups; one query. */
async function groupsOf(db: Handle, actor: SignedIn, asked: Asked): Promise<readonly Group[]> {
  const unit = sql<string>`case notification_totals.subject when 'issue' then 'repo.issues' when 'pull' then 'repo.pulls' else '' end`
  let totals = db
    .selectFrom("notification_totals")
    .innerJoin("repositories", "repositories.id", "notification_totals.repository_id")
    .select(["subject", "status", "total"])
    .select(sql<number>`case when ${readableRepositories(actor, unit)} then 1 else 0 end`.as("visible"))
    .where("notification_totals.user_id", "=", actor.user.id)
    .where("notification_totals.total", ">", 0)
    .where(inList("notification_totals.status", asked.statuses))
    .where(inList("notification_totals.subject", asked.subjects))
  if (asked.repositoryId !== undefined) totals = totals.where("notification_totals.repository_id", "=", asked.repositoryId)
  const rows = await db
    .selectFrom(totals.as("totals"))
    .select(["subject", "status", "visible"])
    .select((eb) => sql<number>`cast(${eb.fn.sum("total")} as bigint)`.as("total"))
    .groupBy(["subject", "status", "visible"])
    .execute()
  const groups = Map.groupBy(rows, ({ subject, status }) => `${subject} ${status}`)
  return [...groups.values()].flatMap((both) => {
    const [first] = both
    if (!first) return []
    const sum = (visible: number) => both.filter((row) => row.visible === visible).reduce((all, { total }) => all + total, 0)
    return [{ status: first.status, subject: first.subject, shown: sum(1), hidden: sum(0) }]
  })
}

/** Whether the caller may see a thread's subject now. */
function shown(actor: SignedIn, subject: Subject): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, "notifications">()
  return eb.exists(
    eb
      .selectFrom("repositories")
      .select("repositories.id")
      .whereRef("repositories.id", "=", "notifications.repository_id")
      .where(readableRepositories(actor, sql.lit(UNITS[subject]))),
  )
}

/** The threads of a group, newest change first. Where all of them may be seen, none is asked about. */
function rangeOf(db: Handle, actor: SignedIn, asked: Asked, { status, subject, hidden }: Group) {
  let range = db
    .selectFrom("notifications")
    .select(["notifications.id", "notifications.updated_at"])
    .where("notifications.user_id", "=", actor.user.id)
    .where("notifications.status", "=", status)
    .where("notifications.subject", "=", subject)
  if (asked.repositoryId !== undefined) range = range.where("notifications.repository_id", "=", asked.repositoryId)
  if (asked.since !== undefined) range = range.where("notifications.updated_at", ">=", asked.since)
  if (asked.before !== undefined) range = range.where("notifications.updated_at", "<=", asked.before)
  return hidden > 0 ? range.where(shown(actor, subject)) : range
}

const newestOf = (range: ReturnType<typeof rangeOf>, count: number) =>
  range.orderBy("notifications.updated_at", "desc").orderBy("notifications.id", "desc").limit(count)

type Rows = ReturnType<typeof newestOf>

/** The rows of all ranges, as one. */
function together(db: Handle, ranges: readonly Rows[]) {
  const [first, ...others] = ranges.map((range) => db.selectFrom(range.as("range")).selectAll())
  return first === undefined ? undefined : others.reduce((all, range) => all.unionAll(range), first)
}

/** A page of the caller's threads and how many there are: newest change first. */
export async function findThreads(db: Handle, actor: SignedIn, asked: Asked, { limit, offset }: Page): Promise<Found<Thread>> {
  const groups = (await groupsOf(db, actor, asked)).filter((group) => group.shown > 0)
  const ranges = groups.map((group) => rangeOf(db, actor, asked, group))
  const timed = asked.since !== undefined || asked.before !== undefined
  const total = timed ? await countOf(ranges) : groups.reduce((all, group) => all + group.shown, 0)
  const found = together(
    db,
    ranges.map((range) => newestOf(range, offset + limit)),
  )
  if (found === undefined || total <= offset) return { rows: [], total }
  const rows = await db
    .selectFrom(found.orderBy("updated_at", "desc").orderBy("id", "desc").limit(limit).offset(offset).as("found"))
    .innerJoin("notifications", "notifications.id", "found.id")
    .selectAll("notifications")
    .orderBy("found.updated_at", "desc")
    .orderBy("found.id", "desc")
    .execute()
  return { rows, total }
}

/** Between two moments the rows must be counted; the index holds all that it takes. */
async function countOf(ranges: readonly ReturnType<typeof rangeOf>[]): Promise<number> {
  const [first, ...others] = ranges.map((range) =>
    range.clearSelect().select((eb) => eb.fn.countAll<number>().as("total")),
  )
  if (first === undefined) return 0
  const counted = await others.reduce((all, range) => all.unionAll(range), first).execute()
  return counted.reduce((all, { total }) => all + total, 0)
}

/** How many threads of that status the caller has. */
export async function countThreads(db: Handle, actor: SignedIn, status: Status): Promise<number> {
  const groups = await groupsOf(db, actor, { statuses: [status], subjects: SUBJECTS })
  return groups.reduce((all, group) => all + group.shown, 0)
}

/** The newest so many ids of each group that is asked for, by group. */
export async function findNewestIds(
  db: Handle,
  actor: SignedIn,
  asked: Asked,
  count: number,
): Promise<readonly { readonly id: number; readonly updated_at: Seconds }[]> {
  const groups = (await groupsOf(db, actor, asked)).filter((group) => group.shown > 0)
  const found = together(
    db,
    groups.map((group) => newestOf(rangeOf(db, actor, asked, group), count)),
  )
  return found === undefined ? [] : found.orderBy("updated_at", "desc").orderBy("id", "desc").limit(count).execute()
}
