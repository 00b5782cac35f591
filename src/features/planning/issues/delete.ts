import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { deleteAttachments } from "../../code/attachments/rules.ts"
import { recountMilestones } from "../milestones/rules.ts"
import { lockForIssues, lockIssue } from "./lock.ts"
import { deleteIssueRow } from "./store.ts"
import { recountOpen } from "./touch-store.ts"

/**
 * Deletes an issue with everything that belongs to it: comments, labels, dependencies both ways, assignees, subscriptions, notifications,
 * reactions, times, files and feed entries. Its number is not used again. Refuses `notFound` where it is gone.
 */
export async function deleteIssue(
  tx: Transaction,
  services: Pick<Services, "events" | "jobs" | "now">,
  { id, repository_id }: Issue,
  actor: User,
): Promise<void> {
  await lockForIssues(tx, repository_id)
  const issue = await lockIssue(tx, { id, repository_id })
  publish(tx, { kind: "issue.deleted", issue, number: issue.number, isPull: issue.is_pull === 1, actor, at: services.now() })
  await services.events.deliver(tx)
  await deleteAttachments(tx, services, { issue_id: id })
  // The rest is deleted with the row by foreign keys.
  const gone = await deleteIssueRow(tx, id)
  if (gone.length === 0) throw refuse.notFound()
  await recountOpen(tx, repository_id)
  await recountMilestones(tx, [issue.milestone_id], services.now())
}
