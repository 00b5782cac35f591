import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { updateIssue } from "./store.ts"

/** Sets when an issue is due, or removes the due date with 0. Does nothing where it is unchanged. The issue must be locked already. */
export async function setDeadline(tx: Transaction, issue: Issue, dueAt: Seconds, actor: User, now: Seconds): Promise<void> {
  if (dueAt === issue.due_at) return
  await updateIssue(tx, issue.id, { due_at: dueAt, updated_at: now })
  publish(tx, { kind: "issue.dueDateChanged", issue, actor, from: issue.due_at, to: dueAt, at: now })
}
