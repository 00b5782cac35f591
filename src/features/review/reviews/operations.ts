import { onPull, onPullToChange } from "../../../access/policies/pulls.ts"
import { onReview, onReviewAsAdministrator, onReviewAsAuthor, onReviewSignedIn } from "../../../access/policies/reviews.ts"
import { listed, noContent, type Operation, ok, operation, type Request } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { deleteReview } from "./delete.ts"
import { dismissReview, undismissReview } from "./dismiss.ts"
import { presentLineComments, presentReviews, type ReviewContext } from "./present.ts"
import { CreatePullReviewOptions, DismissPullReviewOptions, PullReview, PullReviewComment, SubmitPullReviewOptions } from "./records.ts"
import { findLineComments, findReviews, findReviewsWithText } from "./store.ts"
import { createReview, submitReview } from "./submit.ts"

const REVIEWS = "/repos/{owner}/{repo}/pulls/{index}/reviews"
const REVIEW = `${REVIEWS}/{id}` as const

const common = { tag: "repository", scope: ["repository"] } as const
const change = { ...common, archived: "refused" } as const
const dismissing = { ...change, access: onReviewAsAdministrator, answers: { 200: PullReview }, refuses: ["forbidden"] } as const

/** The review as it is now. */
async function answer({ db, services, actor, ...place }: Request & ReviewContext, id: number) {
  const [record] = await presentReviews(db, services.site, actor, place, await findReviewsWithText(db, { ids: [id] }))
  if (!record) throw new TypeError("one review gives one record")
  return ok(record)
}

export const reviewOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoListPullReviews",
    route: `GET ${REVIEWS}`,
    summary: "List the reviews of a pull request",
    description: "Oldest first, requests that wait for an answer among them. Pending ones are shown to their author.",
    access: onPull,
    paged: true,
    answers: { 200: Type.Array(PullReview) },
    handle: async ({ db, services, actor, page, ...place }) => {
      const { rows, total } = await findReviews(db, actor, place.issue.id, page)
      return listed(await presentReviews(db, services.site, actor, place, rows), total)
    },
  }),
  operation({
    ...change,
    id: "repoCreatePullReview",
    route: `POST ${REVIEWS}`,
    summary: "Review a pull request",
    description:
      "APPROVED, REQUEST_CHANGES and COMMENT are seen by everyone at once; without an event the review is pending, seen by its author alone, " +
      "until it is submitted. A pending review of the caller’s is gone on with.",
    access: onPullToChange,
    body: CreatePullReviewOptions,
    answers: { 200: PullReview },
    refuses: ["conflict", "forbidden"],
    handle: async (call) => answer(call, (await createReview(call.services, call, call.body)).id),
  }),
  operation({
    ...common,
    id: "repoGetPullReview",
    route: `GET ${REVIEW}`,
    summary: "Get a review",
    access: onReview,
    answers: { 200: PullReview },
    handle: (call) => answer(call, call.review.id),
  }),
  operation({
    ...change,
    id: "repoSubmitPullReview",
    route: `POST ${REVIEW}`,
    summary: "Submit a pending review",
    description: "What it said before stays where no other text is sent.",
    access: onReviewSignedIn,
    body: SubmitPullReviewOptions,
    answers: { 200: PullReview },
    refuses: ["conflict", "forbidden"],
    handle: async (call) => answer(call, (await submitReview(call.services, call, call.body)).id),
  }),
  operation({
    ...change,
    id: "repoDeletePullReview",
    route: `DELETE ${REVIEW}`,
    summary: "Delete a review",
    description: "With its comments on lines and the replies to them.",
    access: onReviewAsAuthor,
    answers: { 204: null },
    refuses: ["forbidden", "invalid"],
    handle: async (call) => {
      await call.services.database.write((tx) => deleteReview(tx, call.services, call))
      return noContent()
    },
  }),
  operation({
    ...common,
    id: "repoGetPullReviewComments",
    route: `GET ${REVIEW}/comments`,
    summary: "List the line comments of a review",
    description: "All of them at once with the replies, by file and line.",
    access: onReview,
    answers: { 200: Type.Array(PullReviewComment) },
    handle: async ({ db, services, actor, review, ...place }) =>
      ok(await presentLineComments(db, services.site, actor, place, await findLineComments(db, { reviewId: review.id }))),
  }),
  operation({
    ...dismissing,
    id: "repoDismissPullReview",
    route: `POST ${REVIEW}/dismissals`,
    summary: "Dismiss a review",
    description: "Only a verdict can be dismissed, and only while the pull request is open.",
    body: DismissPullReviewOptions,
    handle: async (call) => {
      await call.services.database.write((tx) => dismissReview(tx, call.services, call, call.body))
      return answer(call, call.review.id)
    },
  }),
  operation({
    ...dismissing,
    id: "repoUnDismissPullReview",
    route: `POST ${REVIEW}/undismissals`,
    summary: "Undo the dismissal of a review",
    handle: async (call) => {
      await call.services.database.write((tx) => undismissReview(tx, call.services, call))
      return answer(call, call.review.id)
    },
  }),
]
