import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Handle } from "../../../core/database/database.ts"
import { closedIssues, mergedPulls, openedIn, releasesIn } from "./period-store.ts"

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
    openedPulls: reads("repo.pulls") ? listOf(await openedIn(db, { ...span, isPull: 1 })) : undefined,
    closedIssues: reads("repo.issues") ? listOf(await closedIssues(db, span)) : undefined,
    openedIssues: reads("repo.issues") ? listOf(await openedIn(db, { ...span, isPull: 0 })) : undefined,
    releases: reads("repo.releases") ? listOf(await releasesIn(db, span)) : undefined,
  }
}

function listOf<Entry>(rows: readonly (Entry & { readonly total: number })[]): PeriodList<Entry> {
  return { total: rows[0]?.total ?? 0, entries: rows }
}
