import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { findOwnTeamIds } from "../../people/teams/store.ts"
import { recordMentions } from "../../planning/issues/mentions.ts"
import { crossReference } from "../../planning/issues/references.ts"
import type { TimelineEntry } from "../../planning/issues/timeline.ts"
import { recountComments } from "../../planning/issues/touch-store.ts"
import { deleteReviews, findRequests, publishEntry, type Review } from "./store.ts"

/** A review that is to be published. */
interface Publication extends Owned {
  readonly issue: Issue
  readonly reviewer: User
  readonly review: Review
  /** All reviews of the reviewer on this pull request. */
  readonly mine: readonly Review[]
  /** The entry with the review's own text. */
  readonly header: TimelineEntry
  /** The comments on lines, oldest first. */
  readonly lines: readonly TimelineEntry[]
  readonly now: Seconds
}

/**
 * Publishes a review with all that follows: answered requests, references, mentions, counters, the feed, notifications, and a scheduled merge that
 * waited for it.
 */
export async function publishReview(tx: Transaction, services: Services, publication: Publication): Promise<void> {
  const { issue, repository, owner, reviewer, review, header, lines, now } = publication
  await show(tx, publication)
  await endRequests(tx, publication)
  await recountComments(tx, issue.id, now)
  const mentioned = new Map<number, Pick<User, "id">>()
  for (const comment of [header, ...lines]) {
    const written = { issue, repository, owner, author: reviewer, text: comment.content, comment }
    await crossReference(tx, services.site.rootUrl, written, now)
    for (const user of await recordMentions(tx, written)) mentioned.set(user.id, user)
  }
  publish(tx, {
    kind: "review.submitted",
    issue,
    repository,
    owner,
    actor: reviewer,
    review,
    header,
    lines,
    mentioned: [...mentioned.values()],
    at: now,
  })
}

/** Publishes the entries of drafts, with the current time. */
async function show(tx: Transaction, { header, lines, now }: Publication): Promise<void> {
  if (header.kind === "review_draft") await publishEntry(tx, { id: header.id, kind: "review", createdAt: now, updatedAt: now })
  for (const { id, kind, created_at, updated_at } of lines)
    if (kind === "code_draft") await publishEntry(tx, { id, kind: "code", createdAt: created_at, updatedAt: updated_at })
}

/** Ends the request to the reviewer and, after a verdict, those to their teams. */
async function endRequests(tx: Transaction, { issue, owner, reviewer, review, mine }: Publication): Promise<void> {
  const answered = mine.filter(({ state }) => state === "REQUEST_REVIEW").map(({ id }) => id)
  if (review.state !== "COMMENT" && owner.kind === "organization") {
    const teams = new Set((await findOwnTeamIds(tx, { organizationId: owner.id, userId: reviewer.id })).map((row) => row.team_id))
    for (const { id, reviewer_team_id } of await findRequests(tx, { issueIds: [issue.id] }))
      if (reviewer_team_id !== null && teams.has(reviewer_team_id)) answered.push(id)
  }
  if (answered.length > 0) await deleteReviews(tx, { ids: answered })
}
