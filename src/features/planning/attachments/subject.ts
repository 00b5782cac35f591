import type { Comment } from "../../../access/policies/comments.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { publish } from "../../../core/events/publish.ts"
import type { AttachmentParent } from "../../code/attachments/rules.ts"
import { touchComment } from "../comments/rules.ts"
import { lockIssue } from "../issues/lock.ts"
import { touchContent } from "../issues/store.ts"

interface WrittenText {
  readonly issue: Pick<Issue, "id" | "repository_id" | "is_pull">
  /** Left out for the issue's own body. */
  readonly comment?: Pick<Comment, "id">
}

/**
 * The body of an issue or one of its comments, as files are attached to it. They count as part of the text: attaching a file makes a new
 * version of it.
 */
export const subjectOf = ({ issue, comment }: WrittenText): AttachmentParent => ({
  place: { repositoryId: issue.repository_id, issueId: issue.id, commentId: comment?.id ?? 0, releaseId: null },
  limits: ({ attachments: { types, maxBytes } }) => ({ types, maxBytes }),
  touch: async (tx, actor, at) => {
    await lockIssue(tx, issue)
    if (comment) return touchComment(tx, comment.id, at)
    await touchContent(tx, { now: at, issueId: issue.id })
    publish(tx, { kind: "issue.edited", issue, actor, changes: {}, at })
  },
})
