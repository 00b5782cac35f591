import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { addTimelineEntry } from "./timeline.ts"

/** The day of a moment in UTC, as timelines name it. */
const dayOf = (seconds: Seconds): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** Sets when an issue is due, or takes that away with 0. The moment that it has already changes nothing. The issue must be locked already. */
export async function setDeadline(tx: Transaction, issue: Issue, dueAt: Seconds, actor: User, now: Seconds): Promise<void> {
  if (dueAt === issue.due_at) return
  await tx.updateTable("issues").set({ due_at: dueAt, updated_at: now }).where("id", "=", issue.id).execute()
  const entry = { issueId: issue.id, authorId: actor.id, now }
  if (dueAt === 0) await addTimelineEntry(tx, { ...entry, kind: "removed_deadline", content: dayOf(issue.due_at) })
  else if (issue.due_at === 0) await addTimelineEntry(tx, { ...entry, kind: "added_deadline", content: dayOf(dueAt) })
  else await addTimelineEntry(tx, { ...entry, kind: "modified_deadline", content: `${dayOf(dueAt)}|${dayOf(issue.due_at)}` })
}
