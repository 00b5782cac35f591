import { Mode } from "../../../access/modes.ts"
import { isDraft, type OnComment } from "../../../access/policies/comments.ts"
import { type OnIssue, writesKind } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { deleteAttachments } from "../../code/attachments/rules.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { lockIssue } from "../issues/lock.ts"
import { recordMentions } from "../issues/mentions.ts"
import { crossReference } from "../issues/references.ts"
import { addTimelineEntry } from "../issues/timeline.ts"
import { deleteEntry, touchContent, updateContent } from "../issues/timeline-store.ts"
import { recountComments } from "../issues/touch-store.ts"
import { deleteReactions } from "../reactions/rules.ts"
import { type CommentRow, findCommentsByIds, hideActivitiesOf } from "./store.ts"

/**
 * Writes a comment, counts it, records references and mentions, and publishes it.
 * Refuses `forbidden` on a locked issue to users who may not write to it, and to users blocked by the issue's author or the repository's
 * owner (administrators of the repository are exempt); `notFound` where the issue is gone.
 */
export async function createComment(tx: Transaction, services: Services, found: OnIssue & Me, text: string): Promise<CommentRow> {
  const { repository, owner, me } = found
  const now = services.now()
  const issue = await lockIssue(tx, found.issue)
  requireUnlocked({ ...found, issue })
  await requireWelcome(tx, { ...found, issue })
  const comment = await addTimelineEntry(tx, { issueId: issue.id, kind: "comment", authorId: me.id, content: text, now })
  await recountComments(tx, issue.id, now)
  const written = { issue, repository, owner, author: me, text, comment }
  await crossReference(tx, services.site.rootUrl, written, now)
  const mentioned = await recordMentions(tx, written)
  publish(tx, { kind: "comment.created", issue, repository, owner, actor: me, comment, mentioned, at: now })
  return comment
}

/** Refuses `forbidden` on a locked issue to users who may not write to it. */
export function requireUnlocked(found: OnIssue): void {
  if (found.issue.is_locked === 1 && !writesKind(found, found.issue)) throw refuse.forbidden("You cannot comment on a locked issue.")
}

/** Refuses `forbidden` to users blocked by the issue's author or the repository's owner; administrators of the repository are exempt. */
export async function requireWelcome(tx: Transaction, { issue, owner, permission, me }: OnIssue & Me): Promise<void> {
  if (permission.mode < Mode.admin) await requireUnblocked(tx, me, [{ id: issue.author_id }, owner])
}

/**
 * Replaces the text of a comment; the same text changes nothing. References are updated; no notifications are sent, since mentioned users
 * were notified when it was written.
 * Refuses `forbidden` to users blocked by the issue's author or the repository's owner, `notFound` where the comment is gone, and `conflict` where `from` is
 * given and its text is another one by now.
 */
export async function editComment(
  tx: Transaction,
  services: Services,
  found: OnComment & Me,
  text: string,
  from?: string,
): Promise<CommentRow> {
  const { repository, owner, issue, comment, me } = found
  await requireWelcome(tx, found)
  await lockIssue(tx, issue)
  const [before] = await findCommentsByIds(tx, { ids: [comment.id] })
  if (!before) throw refuse.notFound()
  if (from !== undefined && from !== before.content) throw refuse.conflict("the comment is already changed")
  if (text === before.content) return before
  const now = services.now()
  const changed = await updateContent.first(tx, { id: comment.id, content: text, now })
  if (!changed) throw refuse.notFound()
  // References in a draft take effect once it is submitted.
  if (isDraft(comment)) return changed
  const rootUrl = services.site.rootUrl
  await crossReference(tx, rootUrl, { issue, repository, owner, author: me, text, comment, edited: true }, now)
  publish(tx, { kind: "comment.edited", issue, actor: me, comment: changed, from: before.content, at: now })
  return changed
}

/** Increments the version of a comment without changing its text. Refuses `notFound` where it is gone. */
export async function touchComment(tx: Transaction, id: number, now: Seconds): Promise<void> {
  if ((await touchContent.changes(tx, { id, now })) === 0) throw refuse.notFound()
}

/** Deletes a comment with its reactions and files, the references that it made, and its entries in feeds. */
export async function deleteComment(tx: Transaction, services: Services, { issue, comment, me }: OnComment & Me): Promise<void> {
  await lockIssue(tx, issue)
  if (!isDraft(comment)) publish(tx, { kind: "comment.deleted", issue, actor: me, comment, at: services.now() })
  await services.events.deliver(tx)
  await deleteReactions(tx, issue.id, comment.id)
  await deleteAttachments(tx, services, { issue_id: issue.id, comment_id: comment.id })
  await hideActivitiesOf(tx, { id: comment.id })
  if ((await deleteEntry.changes(tx, { id: comment.id })) === 0) throw refuse.notFound()
  await recountComments(tx, issue.id, services.now())
}
