import { type Expression, type Selectable, type SqlBool, sql } from "kysely"
import { readableRepositories } from "../../../access/visibility.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import type { TrackedTimesTable } from "../../../core/database/tables/issues.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

export type Time = Selectable<TrackedTimesTable>

/** A time with the name of the user who spent it, if the account still exists. */
export interface NamedTime extends Time {
  readonly user_name: string | null
}

type Condition = Expression<SqlBool>

/** The times of one issue. */
export const ofIssue = (issueId: number): Condition => sql<SqlBool>`tracked_times.issue_id = ${issueId}`

/** The times of a repository's issues, and with `pulls` those of its pull requests. */
export const ofRepository = (repositoryId: number, pulls: boolean): Condition => sql<SqlBool>`tracked_times.issue_id in (
  select id from issues where repository_id = ${repositoryId}${pulls ? sql`` : sql` and is_pull = 0`})`

/** The unit that an issue of the row `issues` belongs to. */
const unit = sql<string>`case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end`

/** The times of issues anywhere that the caller may still read. */
export const ofReadable = (actor: SignedIn): Condition => sql<SqlBool>`exists (
  select 1 from issues join repositories on repositories.id = issues.repository_id
  where issues.id = tracked_times.issue_id and ${readableRepositories(actor, unit)})`

export interface TimesFilter {
  /** Of one user only. */
  readonly userId?: number | undefined
  /** Recorded after this moment. */
  readonly since?: Seconds | undefined
  /** Recorded before it. */
  readonly before?: Seconds | undefined
}

const times = (db: Handle, where: Condition, { userId, since, before }: TimesFilter) =>
  db
    .selectFrom("tracked_times")
    .where("tracked_times.is_deleted", "=", 0)
    .where(where)
    .$if(userId !== undefined, (found) => found.where("tracked_times.user_id", "=", userId ?? 0))
    .$if(since !== undefined, (found) => found.where("tracked_times.updated_at", ">", since ?? 0))
    .$if(before !== undefined, (found) => found.where("tracked_times.updated_at", "<", before ?? 0))

const named = (found: ReturnType<typeof times>) =>
  found
    .leftJoin("users", "users.id", "tracked_times.user_id")
    .selectAll("tracked_times")
    .select("users.name as user_name")
    .orderBy("tracked_times.id")

/** A page of times in the order in which they were recorded, without deleted ones, and their total number. */
export async function findTimes(db: Handle, where: Condition, filter: TimesFilter, page: Page): Promise<Found<NamedTime>> {
  const found = times(db, where, filter)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await named(found).limit(page.limit).offset(page.offset).execute()
  return { rows, total }
}

/** All of those times. */
export const findAllTimes = (db: Handle, where: Condition, filter: TimesFilter): Promise<readonly NamedTime[]> =>
  named(times(db, where, filter)).execute()

export interface TimeToBook {
  readonly issueId: number
  readonly userId: number
  readonly seconds: number
  /** When it was spent. */
  readonly createdAt: Seconds
  readonly now: Seconds
}

const insertTime = query("tracking.insertTime", (db, p: Params<TimeToBook>) =>
  db
    .insertInto("tracked_times")
    .values({ issue_id: p.issueId, user_id: p.userId, seconds: p.seconds, created_at: p.createdAt, updated_at: p.now })
    .returningAll(),
)

/** Writes only the row. */
export async function bookTime(tx: Transaction, time: TimeToBook): Promise<Time> {
  const [row] = await insertTime(tx, time)
  if (!row) throw new TypeError("an insert gives its row")
  return row
}

export const findTime = query("tracking.findTime", (db, p: Params<{ id: number; issueId: number }>) =>
  db.selectFrom("tracked_times").selectAll().where("id", "=", p.id).where("issue_id", "=", p.issueId).where("is_deleted", "=", 0),
)

export const markDeleted = query("tracking.markDeleted", (db, p: Params<{ id: number }>) =>
  db.updateTable("tracked_times").set({ is_deleted: 1 }).where("id", "=", p.id).where("is_deleted", "=", 0).returning("seconds"),
)

export const markAllDeleted = query("tracking.markAllDeleted", (db, p: Params<{ issueId: number; userId: number }>) =>
  db
    .updateTable("tracked_times")
    .set({ is_deleted: 1 })
    .where("issue_id", "=", p.issueId)
    .where("user_id", "=", p.userId)
    .where("is_deleted", "=", 0)
    .returning("seconds"),
)

// --- stopwatches -----------------------------------------------------------------------------------------------------------------

export const findStopwatch = query("tracking.findStopwatch", (db, p: Params<{ issueId: number; userId: number }>) =>
  db.selectFrom("stopwatches").selectAll().where("issue_id", "=", p.issueId).where("user_id", "=", p.userId),
)

/** The issues on which a user's stopwatches run. */
export const findRunningIssues = query("tracking.findRunningIssues", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("stopwatches")
    .innerJoin("issues", "issues.id", "stopwatches.issue_id")
    .selectAll("issues")
    .where("stopwatches.user_id", "=", p.userId)
    .orderBy("issues.id"),
)

/** Those whose stopwatch runs on an issue. */
export const findStopwatchUsers = query("tracking.findStopwatchUsers", (db, p: Params<{ issueId: number }>) =>
  db.selectFrom("stopwatches").select("user_id").where("issue_id", "=", p.issueId).orderBy("user_id"),
)

export const insertStopwatch = query("tracking.insertStopwatch", (db, p: Params<{ issueId: number; userId: number; createdAt: number }>) =>
  db.insertInto("stopwatches").values({ issue_id: p.issueId, user_id: p.userId, created_at: p.createdAt }),
)

export const deleteStopwatch = query("tracking.deleteStopwatch", (db, p: Params<{ issueId: number; userId: number }>) =>
  db.deleteFrom("stopwatches").where("issue_id", "=", p.issueId).where("user_id", "=", p.userId).returningAll(),
)

/** A running stopwatch with the names that it is shown with. */
export interface RunningStopwatch {
  readonly created_at: Seconds
  readonly number: number
  readonly title: string
  readonly owner: string
  readonly repository: string
}

/** A page of the caller's running stopwatches on issues that they may still read, newest first, and their total number. */
export async function findStopwatches(db: Handle, actor: SignedIn, page: Page): Promise<Found<RunningStopwatch>> {
  const running = db
    .selectFrom("stopwatches")
    .innerJoin("issues", "issues.id", "stopwatches.issue_id")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .innerJoin("users", "users.id", "repositories.owner_id")
    .where("stopwatches.user_id", "=", actor.user.id)
    .where(readableRepositories(actor, unit))
  const { total } = await running.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await running
    .select(["stopwatches.created_at", "issues.number", "issues.title", "users.name as owner", "repositories.name as repository"])
    .orderBy("stopwatches.created_at", "desc")
    .orderBy("issues.id", "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}
