import { type SqlBool, sql } from "kysely"
import { readableRepositories } from "../../../access/visibility.ts"
import type { SignedIn } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Flag, Seconds } from "../../../core/database/tables.ts"
import { SUBJECTS, totalsOf } from "./threads.ts"

/** What the header of every page says to a person: one statement for all of it. */
export interface HeaderNews {
  readonly unread: number
  /** Their running stopwatch, on an issue that they may still read. */
  readonly timer: RunningTimer | undefined
}

export interface RunningTimer {
  readonly since: Seconds
  readonly owner: string
  readonly repository: string
  readonly number: number
  readonly isPull: Flag
  readonly title: string
}

export async function findHeaderNews(db: Handle, actor: SignedIn): Promise<HeaderNews> {
  const unread = db
    .selectFrom(totalsOf(db, actor, { statuses: ["unread"], subjects: SUBJECTS }).as("totals"))
    .select(sql<number>`cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint)`.as("unread"))
  const unit = sql<string>`case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end`
  const timer = db
    .selectFrom("stopwatches")
    .innerJoin("issues", "issues.id", "stopwatches.issue_id")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["stopwatches.created_at as since", "owner.name as owner", "repositories.name as repository"])
    .select(["issues.number", "issues.is_pull", "issues.title"])
    .where("stopwatches.user_id", "=", actor.user.id)
    .where(readableRepositories(actor, unit))
    .orderBy("stopwatches.created_at", "desc")
    .orderBy("issues.id", "desc")
    .limit(1)
  const row = await db
    .selectFrom(unread.as("news"))
    .leftJoin(timer.as("timer"), (join) => join.on(sql<SqlBool>`1 = 1`))
    .selectAll("news")
    .select(["timer.since", "timer.owner", "timer.repository", "timer.number", "timer.is_pull", "timer.title"])
    .executeTakeFirstOrThrow()
  const { since, owner, repository, number, is_pull: isPull, title } = row
  const isRunning = since !== null && owner !== null && repository !== null && number !== null && isPull !== null && title !== null
  return { unread: row.unread, timer: isRunning ? { since, owner, repository, number, isPull, title } : undefined }
}
