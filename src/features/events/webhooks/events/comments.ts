import type { Issue } from "../../../../access/policies/issues.ts"
import { findIssueById } from "../../../../access/store.ts"
import { anonymous, type User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { presentOne } from "../../../planning/comments/present.ts"
import type { Words } from "../../../planning/comments/store.ts"
import { presentIssue } from "../../../planning/issues/present.ts"
import { announceEvent, type Needed } from "../announce.ts"
import { pullRecord } from "./issues.ts"

export interface CommentNews {
  readonly issue: Pick<Issue, "id" | "repository_id" | "is_pull">
  readonly comment: Words
  readonly actor: User
  readonly action: "created" | "edited" | "deleted"
  /** The text before it was edited. */
  readonly from?: string
}

/** Tells webhooks of a comment. */
export const announceComment = (
  tx: Transaction,
  services: Needed,
  { issue: { id, repository_id: repositoryId, is_pull }, comment, actor, action, from }: CommentNews,
): Promise<void> =>
  announceEvent(
    tx,
    services,
    { repositoryId, sender: actor },
    {
      event: is_pull === 1 ? "pull_request_comment" : "issue_comment",
      payload: async (home) => {
        const issue = await findIssueById.first(tx, { id })
        if (!issue) throw new TypeError("a comment is announced while its issue is there")
        return {
          action,
          issue: await presentIssue(tx, services.site, anonymous, issue, home),
          ...(is_pull === 1 && { pull_request: await pullRecord(tx, services, home, issue) }),
          comment: await presentOne(tx, services.site, { home, issue }, comment),
          ...(from !== undefined && { changes: { body: { from } } }),
          is_pull: is_pull === 1,
        }
      },
    },
  )
