import { type Expression, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely"
import type { Unit } from "../../../access/modes.ts"
import { readableRepositories } from "../../../access/visibility.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { portable } from "../../../core/database/dialect.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { NotificationsTable } from "../../../core/database/tables/issues.ts"
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
export const SUBJECTS: readonly Subject[] = ["issue", "pull", "repository", "run", "release"]

/** The unit that a reader of a subject must be able to read; "" for any. */
export const UNIT_OF = {
  issue: "repo.issues",
  pull: "repo.pulls",
  repository: "",
  run: "repo.actions",
  release: "repo.releases",
} as const satisfies Readonly<Record<Subject, Unit | "">>

/** Why someone is told of an issue or pull request, as far as it can be said of them now. */
export const REASONS = ["assigned", "review", "mention", "author"] as const
export type Reason = (typeof REASONS)[number]

/** Whether the thread is about an issue that the caller has that to do with. */
function because(reason: Reason, { user: { id } }: SignedIn): RawBuilder<SqlBool> {
  switch (reason) {
    case "assigned":
      return sql<SqlBool>`notifications.issue_id in (select issue_id from issue_assignees where user_id = ${id})`
    case "review":
      return sql<SqlBool>`notifications.issue_id in (select issue_id from reviews where state = 'REQUEST_REVIEW' and (reviewer_id = ${id}
        or reviewer_team_id in (select team_id from team_members where user_id = ${id})))`
    case "mention":
      return sql<SqlBool>`notifications.issue_id in (select issue_id from issue_mentions where user_id = ${id})`
    case "author":
      return sql<SqlBool>`exists (select 1 from issues where issues.id = notifications.issue_id and issues.author_id = ${id})`
  }
}

/** The first of the reasons that applies to each of these threads of the caller, in the order of `REASONS`; one query. */
export async function findReasons(db: Handle, actor: SignedIn, ids: readonly number[]): Promise<ReadonlyMap<number, Reason>> {
  if (ids.length === 0) return new Map()
  const cases = REASONS.map((reason) => sql`when ${because(reason, actor)} then ${sql.lit(reason)}`)
  const rows = await db
    .selectFrom("notifications")
    .select(["id", sql<Reason | null>`case ${sql.join(cases, sql` `)} end`.as("reason")])
    .where(inList("notifications.id", ids))
    .execute()
  return new Map(rows.flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason]])))
}

/** The states of what threads are about. What was merged is closed too. */
export const SUBJECT_STATES = ["open", "closed", "merged"] as const
export type SubjectState = (typeof SUBJECT_STATES)[number]

const isAbout = (state: SubjectState): RawBuilder<SqlBool> =>
  state === "merged"
    ? sql<SqlBool>`exists (select 1 from pulls where pulls.issue_id = notifications.issue_id and pulls.is_merged = 1)`
    : sql<SqlBool>`exists (select 1 from issues where issues.id = notifications.issue_id and issues.is_closed = ${state === "closed" ? 1 : 0})`

/** Selects threads of the caller. Changed after `since` and before `before`. */
export interface ThreadFilter {
  readonly repositoryId?: number
  readonly statuses: readonly Status[]
  readonly subjects: readonly Subject[]
  readonly since?: Seconds | undefined
  readonly before?: Seconds | undefined
  readonly reason?: Reason | undefined
  readonly state?: SubjectState | undefined
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

/** Whose totals: a person who asks, or a parameter of a prepared query. */
interface Receiver {
  readonly id: number | Expression<number>
  /** Whether they may read a unit of the row `repositories`. */
  readonly reads: (unit: RawBuilder<string>) => RawBuilder<SqlBool>
}

const receiver = (actor: SignedIn): Receiver => ({ id: actor.user.id, reads: (unit) => readableRepositories(actor, unit) })

/** The totals of the selection by repository, subject and status, each with whether they may see these threads. */
export function totalsOf(db: Pick<Handle, "selectFrom">, { id, reads }: Receiver, filter: ThreadFilter) {
  const units = SUBJECTS.flatMap((subject) =>
    UNIT_OF[subject] === "" ? [] : [sql`when ${sql.lit(subject)} then ${sql.lit(UNIT_OF[subject])}`],
  )
  const unit = sql<string>`case notification_totals.subject ${sql.join(units, sql` `)} else '' end`
  let totals = db
    .selectFrom("notification_totals")
    .innerJoin("repositories", "repositories.id", "notification_totals.repository_id")
    .select(["repository_id", "subject", "status", "total"])
    .select(sql<number>`case when ${reads(unit)} then 1 else 0 end`.as("visible"))
    .where("notification_totals.user_id", "=", id)
    .where("notification_totals.total", ">", 0)
    .where(inList("notification_totals.status", filter.statuses))
    .where(inList("notification_totals.subject", filter.subjects))
  if (filter.repositoryId !== undefined) totals = totals.where("notification_totals.repository_id", "=", filter.repositoryId)
  return totals
}

/** How many threads of each status these people have, as a text: another one when that has changed. */
export async function totalsOfUsers(db: Handle, userIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom("notification_totals")
    .select(["user_id", "status"])
    .select((eb) => sql<number>`cast(${eb.fn.sum("total")} as bigint)`.as("total"))
    .where(inList("user_id", userIds))
    .groupBy(["user_id", "status"])
    .orderBy("status")
    .execute()
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id)
  return new Map([...byUser].map(([id, totals]) => [id, totals.map(({ status, total }) => `${status} ${total}`).join()]))
}

/** The most repositories that the inbox offers. */
const MOST_REPOSITORIES = 50

/** The repositories of the selected threads that the caller may see, those with most of them first. */
export const findThreadRepositories = (db: Handle, actor: SignedIn, filter: ThreadFilter) =>
  db
    .selectFrom(totalsOf(db, receiver(actor), filter).as("totals"))
    .innerJoin("repositories", "repositories.id", "totals.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["repositories.id", "repositories.name", "owner.name as owner"])
    .where("totals.visible", "=", 1)
    .groupBy(["repositories.id", "repositories.name", "owner.name"])
    .orderBy((eb) => eb.fn.sum("totals.total"), "desc")
    .orderBy("repositories.id")
    .limit(MOST_REPOSITORIES)
    .execute()

/** The non-empty groups of the selection; one query. */
async function groupsOf(db: Handle, actor: SignedIn, filter: ThreadFilter): Promise<readonly Group[]> {
  // Visible repositories are only summed up; invisible ones are listed.
  const hiding = sql<number>`case when visible = 1 then 0 else repository_id end`
  const rows = await db
    .selectFrom(totalsOf(db, receiver(actor), filter).as("totals"))
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
  if (filter.since !== undefined) range = range.where("notifications.updated_at", ">", filter.since)
  if (filter.before !== undefined) range = range.where("notifications.updated_at", "<", filter.before)
  if (filter.reason !== undefined) range = range.where(because(filter.reason, actor))
  if (filter.state !== undefined) range = range.where(isAbout(filter.state))
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
export async function findThreads(
  db: Handle,
  actor: SignedIn,
  filter: ThreadFilter,
  { limit, offset }: Pick<Page, "limit" | "offset">,
): Promise<Found<Thread>> {
  const groups = (await groupsOf(db, actor, filter)).filter((group) => group.shown > 0)
  const ranges = groups.map((group) => rangeOf(db, actor, filter, group))
  const isNarrowed = [filter.since, filter.before, filter.reason, filter.state].some((part) => part !== undefined)
  const total = isNarrowed ? await countOf(ranges) : groups.reduce((all, group) => all + group.shown, 0)
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

/** Between two times, by reason and by state, the rows must be counted. */
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

export const findUnreadOf = query("notifications.findUnreadOf", (db, p: Params<{ userId: number; issueId: number }>) =>
  db
    .selectFrom("notifications")
    .select("id")
    .where("user_id", "=", p.userId)
    .where("issue_id", "=", p.issueId)
    .where("status", "=", "unread"),
)
