import type { Comment } from "../../../access/policies/comments.ts"
import { type OnIssue, writesKind } from "../../../access/policies/issues.ts"
import { type Me, requireAccount } from "../../../access/policies/site.ts"
import { findCommentById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { lockIssue } from "../issues/lock.ts"
import { REACTIONS } from "./records.ts"
import { deleteAllReactions, deleteOwnReactions, deleteReaction, findReaction, insertReaction, type ReactionRow } from "./store.ts"

/** A user who reacts to an issue, or to one of its comments. */
export type Reacting = OnIssue & Me & { readonly comment?: Comment }

const ownAt = ({ issue, comment, me }: Reacting) => ({ issueId: issue.id, commentId: comment?.id ?? 0, userId: me.id })

/**
 * Adds a reaction, and says whether it is new; each user has each reaction only once.
 * Refuses `forbidden` an unknown reaction, on a locked issue users who may not write to it, and users blocked by the author of the text,
 * the author of the issue, or the owner; `notFound` where the text is gone.
 */
export async function addReaction(
  tx: Transaction,
  found: Reacting,
  content: string,
  now: Seconds,
): Promise<{ readonly reaction: ReactionRow; readonly isNew: boolean }> {
  requireAccount(found)
  const issue = await lockIssue(tx, found.issue)
  requireReactions({ ...found, issue })
  if (!REACTIONS.includes(content))
    throw refuse.forbidden(t`'${content.slice(0, 40)}' is not an allowed reaction; these are: ${REACTIONS.join(" ")}`)
  const { comment, owner, me } = found
  if (comment && !(await findCommentById.first(tx, { id: comment.id }))) throw refuse.notFound()
  await requireUnblocked(tx, me, [{ id: issue.author_id }, owner, ...(comment ? [{ id: comment.author_id }] : [])])
  const subject = { ...ownAt(found), content }
  const added = await insertReaction.first(tx, { ...subject, now })
  const reaction = added ?? (await findReaction.first(tx, subject))
  if (!reaction) throw new TypeError("a reaction that is there already can be found")
  if (added) publish(tx, { kind: "reaction.added", issue, commentId: comment?.id ?? null, actor: me, at: now })
  return { reaction, isNew: added !== undefined }
}

/** Removes one's reaction, if there is one; without a content all that one has there. Refuses `forbidden` on a locked issue to users who may not write to it. */
export async function removeReaction(tx: Transaction, found: Reacting, content: string): Promise<void> {
  requireReactions(found)
  const { issue, comment, me } = found
  const own = ownAt(found)
  const removed = content === "" ? await deleteOwnReactions.changes(tx, own) : await deleteReaction.changes(tx, { ...own, content })
  if (removed === 0) return
  publish(tx, { kind: "reaction.removed", issue, commentId: comment?.id ?? null, actor: me })
}

function requireReactions(found: OnIssue): void {
  if (found.issue.is_locked === 1 && !writesKind(found, found.issue)) throw refuse.forbidden("the issue is locked")
}

/** Deletes all reactions to a text. */
export async function deleteReactions(tx: Transaction, issueId: number, commentId: number): Promise<void> {
  await deleteAllReactions(tx, { issueId, commentId })
}
