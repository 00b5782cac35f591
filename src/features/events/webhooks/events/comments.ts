import { findIssueById } from "../../../../access/store.ts"
import { anonymous } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import type { EventOf } from "../../../../core/events/catalogue.ts"
import { presentOne } from "../../../planning/comments/present.ts"
import { presentIssue } from "../../../planning/issues/present.ts"
import { presentPullOf } from "../../../review/pulls/present.ts"
import type { Announcement, Needed } from "../announce.ts"

const ACTIONS = { "comment.created": "created", "comment.edited": "edited", "comment.deleted": "deleted" } as const

/** The event of a comment. */
export const commentAnnouncement = (tx: Transaction, services: Needed, event: EventOf<keyof typeof ACTIONS>): Announcement => ({
  event: event.issue.is_pull === 1 ? "pull_request_comment" : "issue_comment",
  sender: event.actor,
  payload: async (home) => {
    const issue = await findIssueById.first(tx, { id: event.issue.id })
    if (!issue) throw new TypeError("a comment is announced while its issue is there")
    const isPull = issue.is_pull === 1
    return {
      action: ACTIONS[event.kind],
      issue: await presentIssue(tx, services.site, anonymous, issue, home),
      ...(isPull && { pull_request: await presentPullOf(tx, services, anonymous, issue, home) }),
      comment: await presentOne(tx, services.site, { home, issue }, event.comment),
      ...(event.kind === "comment.edited" && { changes: { body: { from: event.from } } }),
      is_pull: isPull,
    }
  },
})
