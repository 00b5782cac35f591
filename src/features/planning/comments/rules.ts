import { Mode } from "../../../access/modes.ts"
import { isDraft, type OnComment } from "../../../access/policies/comments.ts"
import { type OnIssue, writesKind } from "../../../access/policies/issues.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { deleteAttachments } from "../../code/attachments/rules.ts"
import { requireUnblocked } from "../../people/blocks/rules.ts"
import { lockIssue } from "../issues/lock.ts"
import { recordMentions } from "../issues/mentions.ts"
import { crossReference } from "../issues/references.ts"
import { addTimelineEntry } from "../issues/timeline.ts"
import { recountComments } from "../issues/touch.ts"
import { deleteReactions } from "../reactions/rules.ts"
import { deleteEntry, findCommentsByIds, hideActivitiesOf, touchContent, updateContent, type Words } from "./store.ts"

/**
 * Writes a comment with all that follows: the issue's counter, references, mentions, the feed, and who is told.
 * Refuses `forbidden` on a locked issue, for those who may not write to it, and for somebody whom its author or the owner has blocked
 * (administrators of the repository pass); `notFound` where the issue is gone.
 */
export async function createComment(tx: Transaction, services: Services, found: OnIssue & Me, text: string): Promise<Words> {
  const { repository, owner, me } = found
  const now = services.now()
  const issue = await lockIssue(tx, found.issue.id)
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

/** Refuses `forbidden` on a locked issue, for those who may not write to it. */
export function requireUnlocked(found: OnIssue): void {
  if (found.issue.is_locked === 1 && !writesKind(found, found.issue)) throw refuse.forbidden("You cannot comment on a locked issue.")
}

/** Refuses `forbidden` for somebody whom the issue's author or the repository's owner has blocked; administrators of the repository pass. */
export async function requireWelcome(tx: Transaction, { issue, owner, permission, me }: OnIssue & Me): Promise<void> {
  if (permission.mode < Mode.admin) await requireUnblocked(tx, me, [{ id: issue.author_id }, owner])
}

/**
 * Replaces the text of a comment; the same text changes nothing. References are read anew; nobody is told. Who is mentioned was told when it
 * was written.
 * Refuses `forbidden` for somebody whom the issue's author or the owner has blocked, `notFound` where the comment is gone.
 */
export async function editComment(tx: Transaction, services: Services, found: OnComment & Me, text: string): Promise<Words> {
  const { repository, owner, issue, comment, me } = found
  await requireWelcome(tx, found)
  await lockIssue(tx, issue.id)
  const [before] = await findCommentsByIds(tx, { ids: [comment.id] })
  if (!before) throw refuse.notFound()
  if (text === before.content) return before
  const now = services.now()
  const changed = await updateContent.first(tx, { id: comment.id, content: text, now })
  if (!changed) throw refuse.notFound()
  // What only its author sees yet is followed once it is submitted.
  if (isDraft(comment)) return changed
  const rootUrl = services.site.rootUrl
  await crossReference(tx, rootUrl, { issue, repository, owner, author: me, text, comment, edited: true }, now)
  publish(tx, { kind: "comment.edited", issue, actor: me, comment: changed, from: before.content, at: now })
  return changed
}

/** Makes a new version of a comment whose text stays. Refuses `notFound` where it is gone. */
export async function touchComment(tx: Transaction, id: number, now: Seconds): Promise<void> {
  if ((await touchContent.changes(tx, { id, now })) === 0) throw refuse.notFound()
}

/** Deletes a comment with its reactions and files, and takes it out of the feeds. References from it go with it. */
export async function deleteComment(tx: Transaction, services: Services, { issue, comment, me }: OnComment & Me): Promise<void> {
  await lockIssue(tx, issue.id)
  if (!isDraft(comment)) publish(tx, { kind: "comment.deleted", issue, actor: me, comment, at: services.now() })
  await services.events.deliver(tx)
  await deleteReactions(tx, issue.id, comment.id)
  await deleteAttachments(tx, services, { issue_id: issue.id, comment_id: comment.id })
  await hideActivitiesOf(tx, { id: comment.id })
  if ((await deleteEntry.changes(tx, { id: comment.id })) === 0) throw refuse.notFound()
  await recountComments(tx, issue.id, services.now())
}
