import type { Owned } from "../../../access/permission.ts"
import type { Actor, User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { memoize } from "../../../core/memoize.ts"
import { rfc3339 } from "../../../core/record.ts"
import type { Site } from "../../../core/site.ts"
import { inListOf } from "../../../core/text/bytes.ts"
import { findTeamsByIds, usersById } from "../../code/repositories/store.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { presentTeams } from "../../people/teams/present.ts"
import { presentUser, standIn } from "../../people/users/present.ts"
import { issueUrl } from "../../planning/issues/present.ts"
import type { PullReview, PullReviewComment } from "./records.ts"
import type { LineComment, ReviewWithText } from "./store.ts"

/** The pull request that reviews belong to. */
export interface ReviewContext extends Owned {
  readonly issue: { readonly number: number; readonly is_pull: 0 | 1 }
}

const pageOf = (site: Site, { owner, repository, issue }: ReviewContext): string =>
  issueUrl(repositoryHtmlUrl(site, owner.name, repository.name), issue)

/** Reviews of one pull request as the caller sees them, in the order given: at most four queries, whatever their number. */
export async function presentReviews(
  db: Handle,
  site: Site,
  actor: Actor,
  place: ReviewContext,
  reviews: readonly ReviewWithText[],
): Promise<PullReview[]> {
  if (reviews.length === 0) return []
  const page = pageOf(site, place)
  const people = await usersById(
    db,
    reviews.flatMap((review) => (review.reviewer_team_id === null ? review.reviewer_id : [])),
  )
  const teamIds = [...new Set(reviews.flatMap((review) => review.reviewer_team_id ?? []))]
  const rows = teamIds.length === 0 ? [] : await findTeamsByIds(db, { ids: teamIds })
  const teams = new Map((await presentTeams(db, site, rows, { withOrganization: false })).map((team) => [team.id, team]))
  const show = memoize((user: User) => presentUser(site, user, actor))
  return reviews.map((review) => ({
    id: review.id,
    user: review.reviewer_team_id === null ? show(people.get(review.reviewer_id) ?? standIn(review.reviewer_id)) : null,
    team: review.reviewer_team_id === null ? null : (teams.get(review.reviewer_team_id) ?? null),
    state: review.state,
    body: inListOf(reviews, review.content ?? ""),
    commit_id: review.commit_id,
    stale: review.is_stale === 1,
    official: review.is_official === 1,
    dismissed: review.is_dismissed === 1,
    comments_count: review.comments_count,
    submitted_at: rfc3339(review.created_at),
    updated_at: rfc3339(review.updated_at),
    html_url: review.header_id === null ? "" : `${page}#issuecomment-${review.header_id}`,
    pull_request_url: page,
    ...(review.made_with && { made_with: review.made_with }),
  }))
}

/** Comments on lines of one pull request as the caller sees them, in the order given: one query, whatever their number. */
export async function presentLineComments(
  db: Handle,
  site: Site,
  actor: Actor,
  place: ReviewContext,
  comments: readonly LineComment[],
): Promise<PullReviewComment[]> {
  const page = pageOf(site, place)
  const people = await usersById(
    db,
    comments.flatMap((comment) => [comment.author_id, ...(comment.resolver_id === null ? [] : [comment.resolver_id])]),
  )
  const show = memoize((user: User) => presentUser(site, user, actor))
  return comments.map((comment) => ({
    id: comment.id,
    body: inListOf(comments, comment.content),
    user: show(people.get(comment.author_id) ?? standIn(comment.author_id)),
    resolver: comment.resolver_id === null ? null : show(people.get(comment.resolver_id) ?? standIn(comment.resolver_id)),
    pull_request_review_id: comment.review_id,
    created_at: rfc3339(comment.created_at),
    updated_at: rfc3339(comment.updated_at),
    path: comment.path,
    commit_id: comment.commit_id,
    original_commit_id: "",
    diff_hunk: comment.hunk,
    position: Math.max(comment.line, 0),
    original_position: Math.max(-comment.line, 0),
    lines: comment.lines,
    html_url: `${page}${comment.kind === "code_draft" ? "/files" : ""}#issuecomment-${comment.id}`,
    pull_request_url: page,
    ...(comment.made_with !== "" && { made_with: comment.made_with }),
  }))
}
