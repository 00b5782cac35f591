import type { Selectable } from "kysely"
import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { findIssueById } from "../../../access/store.ts"
import { anonymous } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Tables } from "../../../core/database/tables.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { usersById } from "../../code/repositories/store.ts"
import { presentUser } from "../../people/users/present.ts"
import { presentOne } from "../../planning/comments/present.ts"
import { presentIssue } from "../../planning/issues/present.ts"
import { presentLabel } from "../../planning/labels/present.ts"
import { presentPullOf } from "./present.ts"

/** What webhooks and workflows are told of issues, pull requests and their comments, besides the repository and the user. */

type Needed = Pick<Services, "site">
type Label = Selectable<Tables["labels"]>

/** Names of a review by its verdict. */
const VERDICTS = {
  APPROVED: "pull_request_review_approved",
  REQUEST_CHANGES: "pull_request_review_rejected",
  COMMENT: "pull_request_review_comment",
} as const
export type Verdict = (typeof VERDICTS)[keyof typeof VERDICTS]

/** A change of an issue or a pull request, without the issue itself. Plain data, which jobs can store. */
export interface IssueChange {
  readonly about: "state" | "labels" | "milestone" | "assignees" | "commits" | "review requests" | "review"
  readonly action: string
  readonly text?: EventOf<"issue.edited">["changes"]
  readonly labels?: { readonly added: readonly Label[]; readonly removed: readonly Label[] }
  readonly commitId?: string | undefined
  /** The head before and after a push. */
  readonly heads?: { readonly before: string; readonly after: string }
  /** The requested reviewer; 0 for a team. */
  readonly reviewerId?: number
  readonly review?: { readonly type: Verdict; readonly content: string }
}

/** What an event is for an issue or a pull request; several changes where people are told of each. */
export function changesOf(event: DomainEvent): readonly IssueChange[] {
  switch (event.kind) {
    case "issue.opened":
    case "issue.transferred":
      return [{ about: "state", action: "opened" }]
    case "issue.closed":
      return [{ about: "state", action: "closed", commitId: event.commitId }]
    case "pull.merged":
      return [{ about: "state", action: "closed" }]
    case "issue.reopened":
      return [{ about: "state", action: "reopened", commitId: event.commitId }]
    case "issue.deleted":
    case "issue.leaving":
      return [{ about: "state", action: "deleted" }]
    case "issue.edited":
      return [{ about: "state", action: "edited", text: event.changes }]
    case "issue.labelled": {
      const { added, removed, cleared } = event
      return [{ about: "labels", action: cleared ? "label_cleared" : "label_updated", labels: { added, removed } }]
    }
    case "issue.milestoned":
      return [{ about: "milestone", action: event.to === null ? "demilestoned" : "milestoned" }]
    case "issue.assigned":
      return [
        ...event.removed.map(() => ({ about: "assignees", action: "unassigned" }) as const),
        ...event.added.map(() => ({ about: "assignees", action: "assigned" }) as const),
      ]
    case "pull.pushed": {
      const { before, after } = event
      return before === null ? [] : [{ about: "commits", action: "synchronized", heads: { before, after } }]
    }
    case "review.requested":
    case "review.requestRemoved": {
      const action = event.kind === "review.requested" ? "review_requested" : "review_request_removed"
      return event.requests.map(({ reviewer_id: reviewerId }) => ({ about: "review requests", action, reviewerId }))
    }
    case "review.submitted": {
      const { state } = event.review
      if (state === "PENDING" || state === "REQUEST_REVIEW") return []
      return [{ about: "review", action: "reviewed", review: { type: VERDICTS[state], content: event.header.content } }]
    }
    default:
      return []
  }
}

/** The payload of a change, with the issue or pull request in its current state. */
export async function issuePayload(db: Handle, services: Needed, home: Owned, issueId: number, change: IssueChange) {
  const row = await requireIssue(db, issueId)
  return row.is_pull === 1 ? ofPull(db, services, home, row, change) : ofIssue(db, services, home, row, change)
}

const ofIssue = async (db: Handle, { site }: Needed, home: Owned, row: Issue, change: IssueChange) => ({
  action: change.action,
  number: row.number,
  ...changesIn(site, home, change),
  issue: await presentIssue(db, site, anonymous, row, home),
  commit_id: change.commitId ?? "",
})

async function ofPull(db: Handle, services: Needed, home: Owned, row: Issue, change: IssueChange) {
  const { reviewerId } = change
  const asked = reviewerId ? (await usersById(db, [reviewerId])).get(reviewerId) : undefined
  return {
    action: change.action,
    ...change.heads,
    number: row.number,
    ...changesIn(services.site, home, change),
    pull_request: await presentPullOf(db, services, anonymous, row, home),
    requested_reviewer: asked ? presentUser(services.site, asked) : null,
    commit_id: change.commitId ?? "",
    review: change.review ?? null,
  }
}

function changesIn(site: Site, home: Owned, { text, labels }: IssueChange): { readonly changes?: object } {
  if (labels) {
    const present = (label: Label) => presentLabel(site, home, label)
    return { changes: { added_labels: labels.added.map(present), removed_labels: labels.removed.map(present) } }
  }
  if (!text) return {}
  const { title, body, base } = text
  return {
    changes: {
      ...(title && { title: { from: title.from } }),
      ...(body && { body: { from: body.from } }),
      ...(base && { ref: { from: base.from } }),
    },
  }
}

const COMMENT_ACTIONS = { "comment.created": "created", "comment.edited": "edited", "comment.deleted": "deleted" } as const
export type CommentEvent = EventOf<keyof typeof COMMENT_ACTIONS>

/** The payload of a comment, which is still there when it is deleted. */
export async function commentPayload(db: Handle, services: Needed, home: Owned, event: CommentEvent) {
  const issue = await requireIssue(db, event.issue.id)
  const isPull = issue.is_pull === 1
  return {
    action: COMMENT_ACTIONS[event.kind],
    issue: await presentIssue(db, services.site, anonymous, issue, home),
    ...(isPull && { pull_request: await presentPullOf(db, services, anonymous, issue, home) }),
    comment: await presentOne(db, services.site, { home, issue }, event.comment),
    ...(event.kind === "comment.edited" && { changes: { body: { from: event.from } } }),
    is_pull: isPull,
  }
}

async function requireIssue(db: Handle, id: number): Promise<Issue> {
  const issue = await findIssueById.first(db, { id })
  if (!issue) throw new TypeError("what happens to an issue is told while it is there")
  return issue
}
