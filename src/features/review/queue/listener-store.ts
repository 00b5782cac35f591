import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"

/** What is asked and changed when something happens, whether or not there are queues. */

export const findEntryOfIssue = query("queue.findEntryOfIssue", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("merge_queue_entries as entry")
    .innerJoin("pulls", "pulls.id", "entry.pull_id")
    .select(["entry.id", "entry.queue_id"])
    .where("pulls.issue_id", "=", p.issueId),
)

export const findQueueOf = query("queue.findOfBranch", (db, p: Params<{ repositoryId: number; branch: string }>) =>
  db.selectFrom("merge_queues").selectAll().where("repository_id", "=", p.repositoryId).where("branch", "=", p.branch),
)

export const findQueuesIn = query("queue.findOfRepository", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("merge_queues").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id"),
)

/** The queue follows a branch that is renamed; one that a branch of the new name had is gone with that branch. */
export async function renameQueue(tx: Transaction, repositoryId: number, from: string, to: string): Promise<void> {
  await tx.deleteFrom("merge_queues").where("repository_id", "=", repositoryId).where("branch", "=", to).execute()
  await tx.updateTable("merge_queues").set({ branch: to }).where("repository_id", "=", repositoryId).where("branch", "=", from).execute()
}

/** The queues with an open trial of this commit. */
export const findTestedBy = query("queue.findTestedBy", (db, p: Params<{ repositoryId: number; commitId: string }>) =>
  db
    .selectFrom("merge_trials")
    .innerJoin("merge_queues", "merge_queues.id", "merge_trials.queue_id")
    .select("merge_queues.id")
    .where("merge_queues.repository_id", "=", p.repositoryId)
    .where("merge_trials.commit_id", "=", p.commitId)
    .where("merge_trials.state", "in", ["building", "testing", "passed"]),
)
