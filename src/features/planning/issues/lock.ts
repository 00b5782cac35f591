import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"

/**
 * Changes lock the rows that they build on, always the repository before the issue so that there is no deadlock, and see them as they are then:
 * what was read when the caller was let in may be older.
 */

/** Keeps others from changing the issue until the transaction ends, and gives its row. Refuses `notFound` where it is gone. */
export async function lockIssue(tx: Transaction, id: number): Promise<Issue> {
  const issue = await lockRow(tx, "issues", id)
  if (!issue) throw refuse.notFound()
  return issue
}

/** Changing the row locks it, too. */
const countUp = query("repositories.countUpIssues", (db, p: Params<{ id: number; issues: number; pulls: number }>) =>
  db
    .updateTable("repositories")
    .set((eb) => ({
      open_issues_count: eb("open_issues_count", "+", p.issues),
      open_pulls_count: eb("open_pulls_count", "+", p.pulls),
    }))
    .where("id", "=", p.id)
    .returningAll(),
)

/**
 * Keeps others from opening and closing the repository's issues until the transaction ends, and gives its row. `opens` names what the caller
 * is about to add: a new one is counted up, since counting a long list anew would make every one dearer than the last.
 * Refuses `notFound` where the repository is gone, `archived` where it takes no changes any more.
 */
export async function lockForIssues(tx: Transaction, repositoryId: number, opens?: "issue" | "pull"): Promise<Repository> {
  const repository = opens
    ? await countUp.first(tx, { id: repositoryId, issues: opens === "issue" ? 1 : 0, pulls: opens === "pull" ? 1 : 0 })
    : await lockRow(tx, "repositories", repositoryId)
  if (!repository) throw refuse.notFound()
  if (repository.is_archived === 1) throw refuse.archived()
  return repository
}
