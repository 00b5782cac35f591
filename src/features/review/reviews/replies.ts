import { isDraft, seesEntry } from "../../../access/policies/comments.ts"
import { type Issue, writesKind } from "../../../access/policies/issues.ts"
import { locatePull, type OnPull, type Pull } from "../../../access/policies/pulls.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { type Me, requireAccount } from "../../../access/policies/site.ts"
import { findCommentById, findIssueById } from "../../../access/store.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { findProtection, isOfficialReviewer } from "../../code/protections/rules.ts"
import { requireUnlocked, requireWelcome } from "../../planning/comments/rules.ts"
import { lockIssue } from "../../planning/issues/lock.ts"
import { recordMentions } from "../../planning/issues/mentions.ts"
import { crossReference } from "../../planning/issues/references.ts"
import { addTimelineEntry } from "../../planning/issues/timeline.ts"
import { touchIssue } from "../../planning/issues/touch-store.ts"
import { findLineComment, insertLineComment, type LineComment, resolveLineComment, unresolveLineComment } from "./store.ts"

/** A comment on a line with its pull request. */
interface Located {
  readonly comment: LineComment
  readonly issue: Issue
  readonly pull: Pull
}

/**
 * A comment on a line, by its id. Refuses `notFound` one that is not in the repository, or is another user's draft; and as `others` says one on an
 * issue, and one that is on no line.
 */
async function locateLineComment(db: Handle, found: OnRepository & Me, id: number, others: (why: string) => Refusal): Promise<Located> {
  const entry = id === 0 ? undefined : await findCommentById.first(db, { id })
  const issue = entry && (await findIssueById.first(db, { id: entry.issue_id }))
  if (!entry || !issue || issue.repository_id !== found.repository.id || !seesEntry(found.actor, entry)) throw refuse.notFound()
  if (issue.is_pull === 0) throw others("the comment is not on a pull request")
  const comment = await findLineComment.first(db, { id })
  if (!comment) throw others("the comment is not on a line of code")
  return { comment, ...(await locatePull(db, found.repository, issue.number)) }
}

/**
 * Replies to a comment on a line, with all that follows from any comment. A reply to one's own draft is a draft as well.
 * Refuses `notFound` what is no comment on a line of this pull request, or another user's draft; `forbidden` on a locked one, for callers who may not write to
 * it, and for callers whom its author or the owner has blocked.
 */
export async function reply(
  tx: Transaction,
  services: Services,
  found: OnPull & Me,
  commentId: number,
  text: string,
): Promise<LineComment> {
  const { repository, owner, me } = found
  const { comment: parent } = await locateLineComment(tx, found, commentId, () => refuse.notFound())
  if (parent.issue_id !== found.issue.id) throw refuse.notFound()
  const now = services.now()
  const issue = await lockIssue(tx, found.issue)
  requireUnlocked({ ...found, issue })
  await requireWelcome(tx, { ...found, issue })
  // The review may have been submitted while this waited for the lock.
  const current = await findLineComment.first(tx, { id: parent.id })
  if (!current) throw refuse.notFound()
  const kind = isDraft(current) ? "code_draft" : "code"
  const { review_id, path, line, lines, hunk, commit_id, is_outdated } = current
  const entry = await addTimelineEntry(tx, { issueId: issue.id, kind, authorId: me.id, content: text, review_id, now })
  await insertLineComment(tx, { comment_id: entry.id, review_id, path, line, lines, hunk, commit_id, is_outdated })
  const made = await findLineComment.first(tx, { id: entry.id })
  if (!made) throw new TypeError("what was inserted can be found")
  if (isDraft(made)) return made

  await touchIssue(tx, issue, now)
  const written = { issue, repository, owner, author: me, text, comment: entry }
  await crossReference(tx, services.site.rootUrl, written, now)
  const mentioned = await recordMentions(tx, written)
  publish(tx, { kind: "comment.created", issue, repository, owner, actor: me, comment: entry, mentioned, at: now })
  return made
}

/**
 * Marks a comment on a line as resolved or unresolved; resolving it a second time changes nothing. Refuses as `locateLineComment` does, `badRequest` other comments, and `forbidden` for all but the pull request's author,
 * users who may write to it, and users whose reviews count.
 */
export async function setResolved(tx: Transaction, found: OnRepository & Me, commentId: number, isResolved: boolean): Promise<void> {
  requireAccount(found)
  const { repository, owner, me } = found
  const { comment, issue, pull } = await locateLineComment(tx, found, commentId, refuse.badRequest)
  if (issue.author_id !== me.id && !writesKind(found, issue)) {
    const protection = await findProtection(tx, repository.id, pull.base_branch)
    if (!(await isOfficialReviewer(tx, protection, { repository, owner }, me)))
      throw refuse.forbidden("only the author, those who may write to the pull request, and its reviewers may resolve a conversation")
  }
  const { id } = comment
  const changed = isResolved
    ? await resolveLineComment.changes(tx, { id, resolverId: me.id })
    : await unresolveLineComment.changes(tx, { id })
  const kind = isResolved ? "conversation.resolved" : "conversation.reopened"
  if (changed > 0) publish(tx, { kind, issue, commentId: comment.id, actor: me })
}
