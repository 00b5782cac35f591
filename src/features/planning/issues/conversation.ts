import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import { lockIssue } from "./lock.ts"
import { updateIssue } from "./store.ts"

/** Locks the conversation: only users who may write to the issue can comment. Does nothing where it is locked already. */
export async function lockConversation(
  tx: Transaction,
  { id, repository_id }: Issue,
  reason: string,
  actor: User,
  now: Seconds,
): Promise<void> {
  const issue = await lockIssue(tx, { id, repository_id })
  if (issue.is_locked === 1) return
  await updateIssue(tx, id, { is_locked: 1, updated_at: now })
  publish(tx, { kind: "issue.locked", issue, actor, reason, at: now })
}

/** Unlocks the conversation. Does nothing where it is not locked. */
export async function unlockConversation(tx: Transaction, { id, repository_id }: Issue, actor: User, now: Seconds): Promise<void> {
  const issue = await lockIssue(tx, { id, repository_id })
  if (issue.is_locked === 0) return
  await updateIssue(tx, id, { is_locked: 0, updated_at: now })
  publish(tx, { kind: "issue.unlocked", issue, actor, at: now })
}
