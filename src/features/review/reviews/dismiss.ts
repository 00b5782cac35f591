import type { OnReview } from "../../../access/policies/reviews.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { lockIssue } from "../../planning/issues/lock.ts"
import { touchIssue } from "../../planning/issues/touch-store.ts"
import { countsFor } from "./official.ts"
import type { DismissPullReviewOptions } from "./records.ts"
import { clearOfficial, findReviewsBy, type Review, setDismissed, setOfficial } from "./store.ts"

const isVerdict = ({ state }: Review): boolean => state === "APPROVED" || state === "REQUEST_CHANGES"

/**
 * The current row of the review, and all other reviews of its reviewer. Refuses `notFound` where it is gone, `forbidden` unless it is a verdict on an
 * open pull request.
 */
async function lockVerdict(tx: Transaction, found: OnReview) {
  const { review } = found
  const issue = await lockIssue(tx, found.issue)
  const reviews = await findReviewsBy(tx, { issueId: issue.id, reviewerId: review.reviewer_id })
  const current = reviews.find((each) => each.id === review.id)
  if (!current) throw refuse.notFound()
  if (!isVerdict(current)) throw refuse.forbidden("only an approval or a request for changes can be dismissed")
  if (issue.is_closed === 1) throw refuse.forbidden("a review of a closed pull request can't be dismissed")
  return { issue, current, reviews }
}

/** Dismisses a review, and with `priors` the reviewer's earlier ones, and notifies. One that is dismissed already stays as it is. */
export async function dismissReview(
  tx: Transaction,
  services: Services,
  found: OnReview & Me,
  { message = "", priors = false }: DismissPullReviewOptions,
): Promise<void> {
  const { repository, owner, me } = found
  const now = services.now()
  const { issue, current, reviews } = await lockVerdict(tx, found)
  const earlier = priors ? reviews.slice(reviews.indexOf(current) + 1).filter(isVerdict) : []
  const ids = [current, ...earlier].filter(({ is_dismissed }) => is_dismissed === 0).map(({ id }) => id)
  if (ids.length > 0) await setDismissed(tx, { ids, isDismissed: 1, now })
  if (current.is_dismissed === 1) return
  await touchIssue(tx, issue, now)
  publish(tx, { kind: "review.dismissed", issue, repository, owner, actor: me, review: current, message, at: now })
}

/** Takes back a dismissal. Whether the review is official is decided again; only the reviewer's last verdict can be. */
export async function undismissReview(tx: Transaction, services: Services, found: OnReview & Me): Promise<void> {
  const { repository, owner, pull, issue, me } = found
  const { current, reviews } = await lockVerdict(tx, found)
  if (current.is_dismissed === 0) return
  await setDismissed(tx, { ids: [current.id], isDismissed: 0, now: services.now() })
  const last = reviews.find((each) => isVerdict(each) && (each.is_dismissed === 0 || each.id === current.id))
  const counts = last?.id === current.id && (await countsFor(tx, { repository, owner }, pull, current.reviewer_id))
  await setOfficial(tx, { id: current.id, isOfficial: flag(counts) })
  if (counts) await clearOfficial(tx, { issueId: current.issue_id, reviewerId: current.reviewer_id, exceptId: current.id })
  publish(tx, { kind: "review.undismissed", issue, review: current, actor: me, at: services.now() })
}
