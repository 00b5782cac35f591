import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import type { Flag, Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { lockForIssues, lockIssue } from "./lock.ts"
import { findPinned, updateIssue } from "./store.ts"

/** The most pinned issues of a repository, and the most pinned pull requests. */
export const MOST_PINS = 3

/** Whether another one of this kind can be pinned. */
export const mayPin = async (db: Handle, repositoryId: number, isPull: Flag): Promise<boolean> =>
  (await findPinned(db, { repositoryId, isPull })).length < MOST_PINS

/** Pins an issue after those pinned already. Refuses `badRequest` a pinned one, and more than {@link MOST_PINS}. */
export async function pinIssue(tx: Transaction, { id, repository_id }: Issue, actor: User, now: Seconds): Promise<void> {
  await lockForIssues(tx, repository_id)
  const issue = await lockIssue(tx, { id, repository_id })
  if (issue.pin_order > 0) throw refuse.badRequest("the issue is pinned already")
  const pinned = await findPinned(tx, { repositoryId: repository_id, isPull: issue.is_pull })
  if (pinned.length >= MOST_PINS) throw refuse.badRequest(t`a repository has at most ${MOST_PINS} pinned issues`)
  const place = (pinned.at(-1)?.pin_order ?? 0) + 1
  await updateIssue(tx, id, { pin_order: place, updated_at: now })
  publish(tx, { kind: "issue.pinned", issue, actor, at: now })
}

/** Unpins an issue; the others keep their positions. Does nothing where it is not pinned. */
export async function unpinIssue(tx: Transaction, { id, repository_id }: Issue, actor: User, now: Seconds): Promise<void> {
  const issue = await lockIssue(tx, { id, repository_id })
  if (issue.pin_order === 0) return
  await updateIssue(tx, id, { pin_order: 0, updated_at: now })
  publish(tx, { kind: "issue.unpinned", issue, actor, at: now })
}

/**
 * Moves a pinned issue to a position, counted from 1; those behind it move back, and a position beyond the end is the last one.
 * Refuses `badRequest` a position below 1, `notFound` an issue that is not pinned.
 */
export async function movePin(tx: Transaction, { id, repository_id }: Issue, position: number, actor: User): Promise<void> {
  if (position < 1) throw refuse.badRequest("positions are counted from 1")
  await lockForIssues(tx, repository_id)
  const issue = await lockIssue(tx, { id, repository_id })
  if (issue.pin_order === 0) throw refuse.notFound()
  const pinned = await findPinned(tx, { repositoryId: repository_id, isPull: issue.is_pull })
  const order = pinned.map((each) => each.id).filter((each) => each !== id)
  order.splice(position - 1, 0, id)
  const before = new Map(pinned.map((each) => [each.id, each.pin_order]))
  const moved = order.map((each, index) => ({ id: each, pin_order: index + 1 })).filter((each) => before.get(each.id) !== each.pin_order)
  for (const { id: each, pin_order } of moved) await updateIssue(tx, each, { pin_order })
  if (moved.length > 0) publish(tx, { kind: "issue.pinMoved", issue, actor })
}
