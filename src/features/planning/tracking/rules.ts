import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { touchIssue } from "../issues/touch-store.ts"
import { bookTime, findTime, markAllDeleted, markDeleted, type Time } from "./store.ts"

type IssueRow = Pick<Issue, "id" | "repository_id">

export interface NewTime {
  readonly issue: IssueRow
  /** The user who spent it, who is also the author of the timeline entry. */
  readonly user: Pick<User, "id">
  readonly seconds: number
  /** When it was spent. */
  readonly spentAt: Seconds
  readonly now: Seconds
}

/** Records time on an issue, with a timeline entry. The caller checks access. Refuses `notFound` where the issue is gone. */
export async function addTime(tx: Transaction, { issue, user, seconds, spentAt, now }: NewTime): Promise<Time> {
  await touchIssue(tx, issue, now)
  const time = await bookTime(tx, { issueId: issue.id, userId: user.id, seconds, createdAt: spentAt, now })
  publish(tx, { kind: "time.added", issue, actor: user, time, at: now })
  return time
}

/**
 * Removes one time from lists and sums; its timeline entry stays, and another one records the deletion. Refuses `notFound` a time that the
 * issue doesn't have or that was deleted already, and `forbidden` the times of others to all but site administrators.
 */
export async function deleteTime(tx: Transaction, issue: IssueRow, timeId: number, actor: User, now: Seconds): Promise<void> {
  const time = await findTime.first(tx, { id: timeId, issueId: issue.id })
  if (!time) throw refuse.notFound()
  if (time.user_id !== actor.id && actor.is_admin === 0) throw refuse.forbidden("only those who booked it may delete it")
  await touchIssue(tx, issue, now)
  await publishDeletion(tx, issue, await markDeleted(tx, { id: time.id }), actor, now)
}

/** Removes all times of the user on the issue in the same way. Refuses `notFound` where there is none. */
export async function resetTimes(tx: Transaction, issue: IssueRow, actor: User, now: Seconds): Promise<void> {
  await touchIssue(tx, issue, now)
  await publishDeletion(tx, issue, await markAllDeleted(tx, { issueId: issue.id, userId: actor.id }), actor, now)
}

async function publishDeletion(
  tx: Transaction,
  issue: IssueRow,
  deleted: readonly Pick<Time, "seconds">[],
  actor: User,
  now: Seconds,
): Promise<void> {
  if (deleted.length === 0) throw refuse.notFound()
  const sum = deleted.reduce((total, { seconds }) => total + seconds, 0)
  publish(tx, { kind: "time.deleted", issue, actor, seconds: sum, at: now })
}
