import { sql } from "kysely"
import type { Task } from "../../../core/jobs/jobs.ts"

/**
 * The rows that each counter counts. Every write maintains the counters; after a manual change of the database, or a bug, they are corrected by
 * counting everything again.
 */
const COUNTERS = {
  users: {
    followers_count: sql`(select count(*) from follows where follows.followed_id = users.id)`,
    following_count: sql`(select count(*) from follows where follows.follower_id = users.id)`,
    stars_count: sql`(select count(*) from stars where stars.user_id = users.id)`,
    repositories_count: sql`(select count(*) from repositories where repositories.owner_id = users.id)`,
  },
  repositories: {
    stars_count: sql`(select count(*) from stars where stars.repository_id = repositories.id)`,
    watchers_count: sql`(select count(*) from watches where watches.repository_id = repositories.id and watches.mode <> 'declined')`,
    forks_count: sql`(select count(*) from repositories as forks where forks.fork_of_id = repositories.id)`,
    branches_count: sql`(select count(*) from branches where branches.repository_id = repositories.id)`,
    open_issues_count: sql`(select count(*) from issues where issues.repository_id = repositories.id and is_pull = 0 and is_closed = 0)`,
    open_pulls_count: sql`(select count(*) from issues where issues.repository_id = repositories.id and is_pull = 1 and is_closed = 0)`,
    releases_count: sql`(select count(*) from releases where releases.repository_id = repositories.id and releases.is_draft = 0)`,
    lfs_size: sql`(select coalesce(sum(lfs_objects.size), 0) from lfs_links
      inner join lfs_objects on lfs_objects.id = lfs_links.object_id where lfs_links.repository_id = repositories.id)`,
  },
  milestones: {
    open_issues_count: sql`(select count(*) from issues where issues.milestone_id = milestones.id and issues.is_closed = 0)`,
    closed_issues_count: sql`(select count(*) from issues where issues.milestone_id = milestones.id and issues.is_closed = 1)`,
  },
} as const

/** Rows counted in one transaction: small enough not to keep other writers waiting. */
const BATCH = 200

/** Recounts every counter, and reports how many were wrong. */
export const recountCounters: Task = {
  name: "check_repo_stats",
  cron: "@midnight",
  run: async ({ database }, signal) => {
    let wrong = 0
    for (const [table, counters] of Object.entries(COUNTERS)) {
      const { rows } = await sql<{ last: number }>`select coalesce(max(id), 0) as last from ${sql.ref(table)}`.execute(database.read)
      const last = rows[0]?.last ?? 0
      for (let from = 0; from < last && !signal.aborted; from += BATCH)
        wrong += await database.write(async (tx) => {
          let changed = 0
          for (const [column, count] of Object.entries(counters)) {
            const { numAffectedRows } = await sql`update ${sql.ref(table)} set ${sql.ref(column)} = ${count}
              where id > ${from} and id <= ${from + BATCH} and ${sql.ref(column)} <> ${count}`.execute(tx)
            changed += Number(numAffectedRows ?? 0)
          }
          return changed
        })
    }
    return `${wrong} counters put right`
  },
}
