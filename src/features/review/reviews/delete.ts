import type { OnReview } from "../../../access/policies/reviews.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { deleteAttachments } from "../../code/attachments/rules.ts"
import { hideActivitiesOf } from "../../planning/comments/store.ts"
import { lockIssue } from "../../planning/issues/lock.ts"
import { deleteEntry } from "../../planning/issues/timeline-store.ts"
import { recountComments } from "../../planning/issues/touch-store.ts"
import { deleteReactions } from "../../planning/reactions/rules.ts"
import { restoreOfficial } from "./official.ts"
import { deleteReviews, detachReview, findEntriesOfReview, findReviewsBy } from "./store.ts"

/**
 * Deletes a review with all its parts: its text, its comments on lines, and the replies to them. The reviewer's previous verdict counts again.
 * Refuses `notFound` where it is gone, as invalid a request.
 */
export async function deleteReview(
  tx: Transaction,
  services: Services,
  { repository, owner, issue, pull, review, me }: OnReview & Me,
): Promise<void> {
  if (review.state === "REQUEST_REVIEW") throw refuse.invalid("id", "a request for a review is taken back through requested_reviewers")
  await lockIssue(tx, issue)
  const current = (await findReviewsBy(tx, { issueId: issue.id, reviewerId: review.reviewer_id })).find(({ id }) => id === review.id)
  if (!current) throw refuse.notFound()
  for (const { id } of await findEntriesOfReview(tx, { reviewId: review.id })) {
    await deleteReactions(tx, issue.id, id)
    await deleteAttachments(tx, services, { issue_id: issue.id, comment_id: id })
    await hideActivitiesOf(tx, { id })
    await deleteEntry(tx, { id })
  }
  await detachReview(tx, { reviewId: review.id })
  await deleteReviews(tx, { ids: [review.id] })
  if (current.state === "PENDING") return
  await restoreOfficial(tx, { repository, owner }, pull, current)
  await recountComments(tx, issue.id, services.now())
  publish(tx, { kind: "review.deleted", issue, review, actor: me, at: services.now() })
}
