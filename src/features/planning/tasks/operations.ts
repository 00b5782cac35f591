import { onCommentAsAuthor } from "../../../access/policies/comments.ts"
import { onIssueAsAuthor } from "../../../access/policies/issues.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { presentOne } from "../comments/present.ts"
import { Comment } from "../comments/records.ts"
import { presentIssue } from "../issues/present.ts"
import { Issue } from "../issues/records.ts"
import { requireText } from "../issues/timeline.ts"
import { TickTaskOption } from "./records.ts"
import { tickInComment, tickInIssue } from "./rules.ts"

const shared = {
  tag: "issue",
  scope: ["issue"],
  since: "0.2.0",
  archived: "refused",
  body: TickTaskOption,
  refuses: ["forbidden", "conflict"],
} as const

export const taskOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "issueTickTask",
    route: "PUT /repos/{owner}/{repo}/issues/{index}/tasks",
    summary: "Tick a task box in the text of an issue or pull request",
    description: "Or open it again. Nothing changes where it is so already.",
    access: onIssueAsAuthor,
    answers: { 200: Issue },
    handle: async ({ services, db, body, ...found }) =>
      ok(await presentIssue(db, services.site, found.actor, await tickInIssue(services, found, body), found)),
  }),
  operation({
    ...shared,
    id: "issueTickCommentTask",
    route: "PUT /repos/{owner}/{repo}/issues/comments/{id}/tasks",
    summary: "Tick a task box in a comment",
    description: "Or open it again; in texts of reviews and in comments on lines as well. Nothing changes where it is so already.",
    access: onCommentAsAuthor,
    answers: { 200: Comment },
    handle: async (call) => {
      const { db, services, repository, owner, issue, comment, body } = call
      requireText(comment)
      return ok(await presentOne(db, services.site, { home: { repository, owner }, issue }, await tickInComment(services, call, body)))
    },
  }),
]
