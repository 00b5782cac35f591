import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely"
import { type CallerKind, readableBy } from "../../../access/visibility.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Seconds, Tables } from "../../../core/database/tables/index.ts"
import { SUBJECTS, totalsOf } from "./threads-store.ts"

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

function newsOf(db: Kysely<Tables>, caller: CallerKind, { me }: Params<{ me: number }>) {
  const reads = (unit: RawBuilder<string>) => readableBy(caller, me, unit)
  const unread = db
    .selectFrom(totalsOf(db, { id: me, reads }, { statuses: ["unread"], subjects: SUBJECTS }).as("totals"))
    .select(sql<number>`cast(coalesce(sum(case when visible = 1 then total else 0 end), 0) as bigint)`.as("unread"))
  const timer = db
    .selectFrom("stopwatches")
    .innerJoin("issues", "issues.id", "stopwatches.issue_id")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .innerJoin("users as owner", "owner.id", "repositories.owner_id")
    .select(["stopwatches.created_at as since", "owner.name as owner", "repositories.name as repository"])
    .select(["issues.number", "issues.is_pull", "issues.title"])
    .where("stopwatches.user_id", "=", me)
    .where(reads(sql<string>`case when issues.is_pull = 1 then 'repo.pulls' else 'repo.issues' end`))
    .orderBy("stopwatches.created_at", "desc")
    .orderBy("issues.id", "desc")
    .limit(1)
  return db
    .selectFrom(unread.as("news"))
    .leftJoin(timer.as("timer"), (join) => join.on(sql<SqlBool>`1 = 1`))
    .selectAll("news")
    .select(["timer.since", "timer.owner", "timer.repository", "timer.number", "timer.is_pull", "timer.title"])
}

const FLAGS = [0, 1] as const satisfies readonly Flag[]

/** Prepared, as every page asks: what is readable has another text for administrators, for people who are restricted, and for those who lack a second factor. */
const findNews = FLAGS.map((is_admin) =>
  FLAGS.map((is_restricted) =>
    FLAGS.map((lacks_required_factor) => {
      const name = `header.news${is_admin ? ".admin" : ""}${is_restricted ? ".restricted" : ""}${lacks_required_factor ? ".withheld" : ""}`
      return query(name, (db, p: Params<{ me: number }>) => newsOf(db, { is_admin, is_restricted, lacks_required_factor }, p))
    }),
  ),
)

export async function findHeaderNews(db: Handle, { id, is_admin, is_restricted, lacks_required_factor }: User): Promise<HeaderNews> {
  const row = await findNews[is_admin]?.[is_restricted]?.[lacks_required_factor]?.first(db, { me: id })
  if (!row) return { unread: 0, timer: undefined }
  const { since, owner, repository, number, is_pull: isPull, title } = row
  const isRunning = since !== null && owner !== null && repository !== null && number !== null && isPull !== null && title !== null
  return { unread: row.unread, timer: isRunning ? { since, owner, repository, number, isPull, title } : undefined }
}
