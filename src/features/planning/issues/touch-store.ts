import { sql } from "kysely"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"

/** Updates derived columns of an issue's row and of its repository's: times and counters. */

const touch = query("issues.touch", (db, p: Params<{ id: number; repositoryId: number; now: number }>) =>
  db.updateTable("issues").set({ updated_at: p.now }).where("id", "=", p.id).where("repository_id", "=", p.repositoryId),
)

/**
 * Updates the time of the issue's last change, which also locks its row until the transaction ends. Refuses `notFound` where the issue was
 * deleted or transferred meanwhile.
 */
export async function touchIssue(tx: Transaction, { id, repository_id }: Pick<Issue, "id" | "repository_id">, now: Seconds): Promise<void> {
  if ((await touch.changes(tx, { id, repositoryId: repository_id, now })) === 0) throw refuse.notFound()
}

const countComments = query("issues.countComments", (db, p: Params<{ id: number; now: number }>) =>
  db
    .updateTable("issues")
    .set((eb) => ({
      updated_at: sql<number>`case when ${p.now} = 0 then updated_at else cast(${p.now} as bigint) end`,
      comments_count: eb
        .selectFrom("comments")
        .select((count) => count.fn.countAll<number>().as("total"))
        .whereRef("comments.issue_id", "=", "issues.id")
        .where("comments.kind", "in", ["comment", "review"]),
    }))
    .where("id", "=", p.id),
)

/**
 * Recounts the plain and review comments, and updates the time of the last change unless `now` is 0. The issue's row must be locked
 * already.
 */
export async function recountComments(tx: Transaction, issueId: number, now: Seconds): Promise<void> {
  await countComments(tx, { id: issueId, now })
}

const countIssues = query("issues.countOpen", (db, p: Params<{ repositoryId: number }>) =>
  db
    .updateTable("repositories")
    .set((eb) => {
      const open = (isPull: 0 | 1) =>
        eb
          .selectFrom("issue_totals")
          .select(sql<number>`coalesce(max(total), 0)`.as("total"))
          .whereRef("issue_totals.repository_id", "=", "repositories.id")
          .where("issue_totals.is_closed", "=", 0)
          .where("issue_totals.is_pull", "=", isPull)
      return { open_issues_count: open(0), open_pulls_count: open(1) }
    })
    .where("id", "=", p.repositoryId),
)

/**
 * Recounts the repository's open issues and pull requests. The repository's row must be locked already (`lockForIssues`), so that the count
 * also includes what others committed while it waited.
 */
export async function recountOpen(tx: Transaction, repositoryId: number): Promise<void> {
  await countIssues(tx, { repositoryId })
}

/** The update also locks the row. */
export const countUp = query("repositories.countUpIssues", (db, p: Params<{ id: number; issues: number; pulls: number }>) =>
  db
    .updateTable("repositories")
    .set((eb) => ({
      open_issues_count: eb("open_issues_count", "+", p.issues),
      open_pulls_count: eb("open_pulls_count", "+", p.pulls),
    }))
    .where("id", "=", p.id)
    .returningAll(),
)
