import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { lockIssue } from "./lock.ts"
import { addTimelineEntry } from "./timeline.ts"

/** Lets only those who may write comment on the issue from now on. One that is locked already stays as it is. */
export async function lockConversation(tx: Transaction, id: number, reason: string, actor: User, now: Seconds): Promise<void> {
  const issue = await lockIssue(tx, id)
  if (issue.is_locked === 1) return
  await tx.updateTable("issues").set({ is_locked: 1, updated_at: now }).where("id", "=", id).execute()
  await addTimelineEntry(tx, { issueId: id, kind: "lock", authorId: actor.id, content: reason, now })
}

/** Lets everybody comment again. One that is not locked stays as it is. */
export async function unlockConversation(tx: Transaction, id: number, actor: User, now: Seconds): Promise<void> {
  const issue = await lockIssue(tx, id)
  if (issue.is_locked === 0) return
  await tx.updateTable("issues").set({ is_locked: 0, updated_at: now }).where("id", "=", id).execute()
  await addTimelineEntry(tx, { issueId: id, kind: "unlock", authorId: actor.id, now })
}
