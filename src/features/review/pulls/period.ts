import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** What happened to pull requests, issues and releases of a repository in a period. */

/** The most entries of each list; all are counted. */
const MOST = 50

export interface PeriodEntry {
  readonly number: number
  readonly title: string
  /** Unix seconds. */
  readonly at: number
}

export interface PeriodList<Entry> {
  readonly total: number
  /** The newest fifty. */
  readonly entries: readonly Entry[]
}

/** Undefined for units that the caller may not read. */
export interface PeriodActivity {
  readonly mergedPulls: PeriodList<PeriodEntry> | undefined
  readonly openedPulls: PeriodList<PeriodEntry> | undefined
  readonly closedIssues: PeriodList<PeriodEntry> | undefined
  readonly openedIssues: PeriodList<PeriodEntry> | undefined
  readonly releases: PeriodList<{ readonly tag: string; readonly title: string; readonly at: number }> | undefined
}

type Span = Params<{ repositoryId: number; since: number; until: number; limit: number }>

/** Rows carry the number of all of them, so that a list is one query. */
const mergedPulls = query("activity.mergedPulls", (db, p: Span) =>
  db
    .selectFrom("pulls")
    .innerJoin("issues", "issues.id", "pulls.issue_id")
    .select(["issues.number", "issues.title", "pulls.merged_at as at"])
    .select((eb) => eb.fn.countAll<number>().over().as("total"))
    .where("pulls.repository_id", "=", p.repositoryId)
    .where("pulls.is_merged", "=", 1)
    .where("pulls.merged_at", ">=", p.since)
    .where("pulls.merged_at", "<", p.until)
    .orderBy("pulls.merged_at", "desc")
    .orderBy("issues.number", "desc")
    .limit(p.limit),
)

const opened = query(
  "activity.opened",
  (db, p: Params<{ repositoryId: number; isPull: 0 | 1; since: number; until: number; limit: number }>) =>
    db
      .selectFrom("issues")
      .select(["number", "title", "created_at as at"])
      .select((eb) => eb.fn.countAll<number>().over().as("total"))
      .where("repository_id", "=", p.repositoryId)
      .where("is_pull", "=", p.isPull)
      .where("created_at", ">=", p.since)
      .where("created_at", "<", p.until)
      .orderBy("created_at", "desc")
      .orderBy("number", "desc")
      .limit(p.limit),
)

const closedIssues = query("activity.closedIssues", (db, p: Span) =>
  db
    .selectFrom("issues")
    .select(["number", "title", "closed_at as at"])
    .select((eb) => eb.fn.countAll<number>().over().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where("is_pull", "=", 0)
    .where("is_closed", "=", 1)
    .where("closed_at", ">=", p.since)
    .where("closed_at", "<", p.until)
    .orderBy("closed_at", "desc")
    .orderBy("number", "desc")
    .limit(p.limit),
)

const releases = query("activity.releases", (db, p: Span) =>
  db
    .selectFrom("releases")
    .select(["tag_name as tag", "title", "created_at as at"])
    .select((eb) => eb.fn.countAll<number>().over().as("total"))
    .where("repository_id", "=", p.repositoryId)
    .where("is_draft", "=", 0)
    .where("created_at", ">=", p.since)
    .where("created_at", "<", p.until)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(p.limit),
)

/** What happened from `since` to before `until`, Unix seconds, as far as the caller may read it. At most five queries. */
export async function periodActivity(
  db: Handle,
  { repository, permission }: OnRepository,
  since: number,
  until: number,
): Promise<PeriodActivity> {
  const reads = (unit: "repo.pulls" | "repo.issues" | "repo.releases") => unitMode(permission, repository, unit) >= Mode.read
  const span = { repositoryId: repository.id, since, until, limit: MOST }
  return {
    mergedPulls: reads("repo.pulls") ? listOf(await mergedPulls(db, span)) : undefined,
    openedPulls: reads("repo.pulls") ? listOf(await opened(db, { ...span, isPull: 1 })) : undefined,
    closedIssues: reads("repo.issues") ? listOf(await closedIssues(db, span)) : undefined,
    openedIssues: reads("repo.issues") ? listOf(await opened(db, { ...span, isPull: 0 })) : undefined,
    releases: reads("repo.releases") ? listOf(await releases(db, span)) : undefined,
  }
}

function listOf<Entry>(rows: readonly (Entry & { readonly total: number })[]): PeriodList<Entry> {
  return { total: rows[0]?.total ?? 0, entries: rows }
}
