import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import { type Handle, isForeignKeyViolation, type Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { findImplicitWatch, findIssueWatch, putIssueWatch } from "./store.ts"

/**
 * Whether a user is notified about an issue: by an explicit subscription, or else as its author, assignee, commenter or requested reviewer,
 * or because they watch its repository.
 */
export async function isSubscribed(db: Handle, issue: Pick<Issue, "id">, user: Pick<User, "id">): Promise<boolean> {
  const key = { issueId: issue.id, userId: user.id }
  const wish = await findIssueWatch.first(db, key)
  return wish ? wish.is_watching === 1 : (await findImplicitWatch.first(db, key)) !== undefined
}

/**
 * Subscribes a user to an issue or unsubscribes them. Returns whether that changed anything: where it is so already, explicitly or not,
 * nothing is written. Refuses `notFound` where issue or user is gone.
 */
export async function setSubscribed(
  tx: Transaction,
  issue: Pick<Issue, "id" | "repository_id">,
  user: Pick<User, "id">,
  actor: User,
  wanted: boolean,
  now: Seconds,
): Promise<boolean> {
  if ((await isSubscribed(tx, issue, user)) === wanted) return false
  try {
    // No row is changed where another call has done the same meanwhile.
    const changed = (await putIssueWatch.changes(tx, { issueId: issue.id, userId: user.id, isWatching: flag(wanted), now })) > 0
    if (changed) publish(tx, { kind: wanted ? "issue.subscribed" : "issue.unsubscribed", issue, user, actor, at: now })
    return changed
  } catch (error) {
    throw isForeignKeyViolation(error) ? refuse.notFound() : error
  }
}
