import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { publish } from "../../../core/events/publish.ts"
import { lockIssue } from "./lock.ts"

/** Lets only those who may write comment on the issue from now on. One that is locked already stays as it is. */
export async function lockConversation(tx: Transaction, id: number, reason: string, actor: User, now: Seconds): Promise<void> {
  const issue = await lockIssue(tx, id)
  if (issue.is_locked === 1) return
  await tx.updateTable("issues").set({ is_locked: 1, updated_at: now }).where("id", "=", id).execute()
  publish(tx, { kind: "issue.locked", issue, actor, reason, at: now })
}

/** Lets everybody comment again. One that is not locked stays as it is. */
export async function unlockConversation(tx: Transaction, id: number, actor: User, now: Seconds): Promise<void> {
  const issue = await lockIssue(tx, id)
  if (issue.is_locked === 0) return
  await tx.updateTable("issues").set({ is_locked: 0, updated_at: now }).where("id", "=", id).execute()
  publish(tx, { kind: "issue.unlocked", issue, actor, at: now })
}
