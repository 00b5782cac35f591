import type { Selectable } from "kysely"
import { type Actor, actorId, isSiteAdministrator, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import type { ReviewsTable } from "../../core/database/tables/pulls.ts"
import { refuse } from "../../core/errors.ts"
import { type Access, pathNumber, type Request } from "../../core/operation.ts"
import { findCollaborations, findTeamGrants } from "../grants.ts"
import { Mode } from "../modes.ts"
import type { Owned } from "../permission.ts"
import { findReviewById } from "../store.ts"
import type { Issue } from "./issues.ts"
import { type OnPull, onPull, onPullSignedIn } from "./pulls.ts"
import { type OnRepository, onRepositorySignedIn } from "./repositories.ts"
import type { Me } from "./site.ts"

/** Policies for reviews. */

export type Review = Selectable<ReviewsTable>

/** A pull request and one of its reviews. */
export interface OnReview extends OnPull {
  readonly review: Review
}

/** Whether the caller may see a review: a pending one is visible to its author only. */
const seesReview = (actor: Actor, { state, reviewer_id }: Review): boolean =>
  state !== "PENDING" || reviewer_id === actorId(actor) || isSiteAdministrator(actor)

/** Adds the review of the path's {id}, if it belongs to the pull request and the caller may see it; otherwise refuses `notFound`. */
async function withReview<Found extends OnPull>({ db, actor, path }: Request, found: Found): Promise<Found & OnReview> {
  const review = await findReviewById.first(db, { id: pathNumber(path["id"]) })
  if (!review || review.issue_id !== found.issue.id || !seesReview(actor, review)) throw refuse.notFound()
  return { ...found, review }
}

/** The review of the path's {id}, for callers who may read its pull request; a pending one for its author. */
export const onReview: Access<OnReview> = {
  rule: { subject: "repository", needs: "review:read", signIn: "optional" },
  open: async (request) => withReview(request, await onPull.open(request)),
}

/** Like `onReview`, for those who have signed in. */
export const onReviewSignedIn: Access<OnReview & Me> = {
  rule: { subject: "repository", needs: "review:read", signIn: "required" },
  open: async (request) => withReview(request, await onPullSignedIn.open(request)),
}

/** The review of the path's {id}, for its author and site administrators. */
export const onReviewAsAuthor: Access<OnReview & Me> = {
  rule: { subject: "repository", needs: "review:author", signIn: "required" },
  open: async (request) => {
    const found = await onReviewSignedIn.open(request)
    if (found.review.reviewer_id !== found.me.id && !isSiteAdministrator(found.actor))
      throw refuse.forbidden("only the reviewer may delete a review")
    return found
  },
}

/** The review of the path's {id}, for administrators of the repository; the decision comes before the look-up. */
export const onReviewAsAdministrator: Access<OnReview & Me> = {
  rule: { subject: "repository", needs: "review:administrator", signIn: "required" },
  open: async (request) => {
    const found = await onPullSignedIn.open(request)
    if (found.permission.mode < Mode.admin) throw refuse.forbidden("Must be repo admin")
    return withReview(request, found)
  },
}

/**
 * Whether a user may request reviews: the author of the pull request, the person who owns the repository, collaborators, and members of
 * teams that read its pull requests, and site administrators; none of them if it is archived.
 */
export async function choosesReviewers(
  db: Handle,
  { repository, owner }: Owned,
  user: Pick<User, "id" | "is_admin">,
  issue?: Pick<Issue, "author_id">,
): Promise<boolean> {
  if (repository.is_archived === 1) return false
  if (user.is_admin === 1 || user.id === owner.id || user.id === issue?.author_id) return true
  const on = { userId: user.id, subjectIds: [repository.id] }
  if ((await findCollaborations(db, on)).length > 0) return true
  if (owner.kind !== "organization") return false
  const grants = await findTeamGrants(db, on)
  return grants.some(
    ({ mode = Mode.none, unit, unit_mode }) => mode >= Mode.admin || (unit === "repo.pulls" && (unit_mode ?? Mode.none) >= Mode.read),
  )
}

/** A repository, for callers who may request reviews of its pull requests. */
export const onReviewers: Access<OnRepository & Me> = {
  rule: { subject: "repository", needs: "reviewers:choose", signIn: "required" },
  open: async (request) => {
    const found = await onRepositorySignedIn.open(request)
    if (!(await choosesReviewers(request.db, found, found.me)))
      throw refuse.forbidden("only those who belong to the repo may ask who can review")
    return found
  },
}
