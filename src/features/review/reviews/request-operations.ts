import { type OnPull, onPullToChange } from "../../../access/policies/pulls.ts"
import { onReviewers } from "../../../access/policies/reviews.ts"
import type { Me } from "../../../access/policies/site.ts"
import { created, noContent, type Operation, ok, operation, type Request } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentUser } from "../../people/users/present.ts"
import { User } from "../../people/users/records.ts"
import { findCandidates } from "./people-store.ts"
import { presentReviews } from "./present.ts"
import { PullReview, PullReviewRequestOptions } from "./records.ts"
import { removeRequests, requestReviewers } from "./requests.ts"
import { findReviewsWithText } from "./store.ts"

const REQUESTED = "/repos/{owner}/{repo}/pulls/{index}/requested_reviewers"

const common = { tag: "repository", scope: ["repository"] } as const
const asking = { ...common, access: onPullToChange, archived: "refused", body: PullReviewRequestOptions } as const

type Call = OnPull & Me & Pick<Request, "services"> & { readonly body: PullReviewRequestOptions }

const askedFor = ({ repository, owner, issue, me, services, body }: Call) => ({
  repository,
  owner,
  issue,
  actor: me,
  reviewers: body.reviewers ?? [],
  teams: body.team_reviewers ?? [],
  now: services.now(),
})

export const reviewRequestOperations: readonly Operation[] = [
  operation({
    ...asking,
    id: "repoCreatePullReviewRequests",
    route: `POST ${REQUESTED}`,
    summary: "Request reviews of a pull request",
    description:
      "For its author and those who belong to the repository. Gives the requests that are new; users who were asked already are passed over. All or none.",
    answers: { 201: Type.Array(PullReview) },
    refuses: ["forbidden"],
    handle: async (call) => {
      const { db, services, actor, repository, owner, issue } = call
      const made = await services.database.write((tx) => requestReviewers(tx, askedFor(call)))
      const rows = made.length === 0 ? [] : await findReviewsWithText(db, { ids: made.map(({ id }) => id) })
      return created(await presentReviews(db, services.site, actor, { repository, owner, issue }, rows))
    },
  }),
  operation({
    ...asking,
    id: "repoDeletePullReviewRequests",
    route: `DELETE ${REQUESTED}`,
    summary: "Cancel review requests of a pull request",
    description:
      "For its author and those who belong to the repository; requested users may decline. Users who were not asked are passed over.",
    answers: { 204: null },
    handle: async (call) => {
      await call.services.database.write((tx) => removeRequests(tx, askedFor(call)))
      return noContent()
    },
  }),
  operation({
    ...common,
    id: "repoGetReviewers",
    route: "GET /repos/{owner}/{repo}/reviewers",
    summary: "List the users who can be asked for a review",
    description:
      "Those who can read the pull requests and belong to the repository or watch it, by name. Others who can read them can be asked as well.",
    access: onReviewers,
    answers: { 200: Type.Array(User) },
    refuses: ["forbidden"],
    handle: async ({ db, services, actor, repository, owner }) => {
      const people = await findCandidates(db, { repositoryId: repository.id, ownerId: owner.id })
      return ok(people.map((user) => presentUser(services.site, user, actor)))
    },
  }),
]
