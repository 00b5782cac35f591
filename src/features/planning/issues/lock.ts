import type { Repository } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { countUp } from "./touch-store.ts"

/**
 * Changes lock the rows that they depend on, always the repository before the issue to avoid deadlocks, and use the locked rows: those read
 * for the access check may be outdated.
 */

/**
 * Locks the issue until the transaction ends, and returns its row. Refuses `notFound` where it is gone, or was transferred: what the caller may do was
 * decided in the repository where it was.
 */
export async function lockIssue(tx: Transaction, { id, repository_id }: Pick<Issue, "id" | "repository_id">): Promise<Issue> {
  const issue = await lockRow(tx, "issues", id)
  if (issue?.repository_id !== repository_id) throw refuse.notFound()
  return issue
}

/**
 * Locks the repository, so that no other transaction opens or closes its issues until this one ends, and returns its row. `opens` says what
 * the caller is about to add: the counter is incremented, since recounting would make each new issue more expensive.
 * Refuses `notFound` where the repository is gone, `archived` where it is archived.
 */
export async function lockForIssues(tx: Transaction, repositoryId: number, opens?: "issue" | "pull"): Promise<Repository> {
  const repository = opens
    ? await countUp.first(tx, { id: repositoryId, issues: opens === "issue" ? 1 : 0, pulls: opens === "pull" ? 1 : 0 })
    : await lockRow(tx, "repositories", repositoryId)
  if (!repository) throw refuse.notFound()
  if (repository.is_archived === 1) throw refuse.archived()
  return repository
}
