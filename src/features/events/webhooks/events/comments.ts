import type { Transaction } from "../../../../core/database/database.ts"
import { type CommentEvent, commentPayload } from "../../../review/pulls/payload.ts"
import type { Announcement, Needed } from "../announce.ts"

/** The event of a comment. */
export const commentAnnouncement = (tx: Transaction, services: Needed, event: CommentEvent): Announcement => ({
  event: event.issue.is_pull === 1 ? "pull_request_comment" : "issue_comment",
  sender: event.actor,
  payload: (home) => commentPayload(tx, services, home, event),
})
