import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import { type Handle, isForeignKeyViolation, type Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { findImplicitWatch, findIssueWatch, putIssueWatch } from "./store.ts"

/**
 * Whether somebody is told of an issue: by an explicit wish, or else as its author or assignee, by having written to it, being asked to review
 * it, or watching its repository.
 */
export async function isSubscribed(db: Handle, issue: Pick<Issue, "id">, user: Pick<User, "id">): Promise<boolean> {
  const key = { issueId: issue.id, userId: user.id }
  const wish = await findIssueWatch.first(db, key)
  return wish ? wish.is_watching === 1 : (await findImplicitWatch.first(db, key)) !== undefined
}

/**
 * Writes down that somebody wants to be told of an issue, or not. Gives whether that changed anything: what is so already, explicitly or
 * not, leaves no row. Refuses `notFound` where issue or person is gone.
 */
export async function setSubscribed(
  tx: Transaction,
  issue: Pick<Issue, "id">,
  user: Pick<User, "id">,
  wanted: boolean,
  now: Seconds,
): Promise<boolean> {
  if ((await isSubscribed(tx, issue, user)) === wanted) return false
  try {
    // Nothing is changed where another call has said the same meanwhile.
    return (await putIssueWatch.changes(tx, { issueId: issue.id, userId: user.id, isWatching: flag(wanted), now })) > 0
  } catch (error) {
    throw isForeignKeyViolation(error) ? refuse.notFound() : error
  }
}
