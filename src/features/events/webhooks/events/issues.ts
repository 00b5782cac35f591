import type { Owned } from "../../../../access/permission.ts"
import type { Issue } from "../../../../access/policies/issues.ts"
import { findIssueById } from "../../../../access/store.ts"
import { anonymous } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import type { DomainEvent, EventOf } from "../../../../core/events/catalogue.ts"
import { usersById } from "../../../code/repositories/store.ts"
import { presentUser } from "../../../people/users/present.ts"
import { presentIssue } from "../../../planning/issues/present.ts"
import { presentLabel } from "../../../planning/labels/present.ts"
import { presentPullOf } from "../../../review/pulls/present.ts"
import type { Announcement, Needed } from "../announce.ts"
import type { EventKind, ReviewEvent } from "./kinds.ts"

/** An event of an issue or a pull request, without the issue itself. */
interface IssueChange {
  /** The kind of event, for issues and for pull requests. */
  readonly event: readonly [EventKind, EventKind]
  readonly action: string
  readonly changes?: (home: Owned) => object
  readonly commitId?: string | undefined
  /** The head before and after a push. */
  readonly heads?: { readonly before: string; readonly after: string }
  /** The requested reviewer; 0 for a team. */
  readonly reviewerId?: number
  readonly review?: { readonly type: ReviewEvent; readonly content: string }
}

/** The event for a submitted review. */
const VERDICTS = {
  APPROVED: "pull_request_review_approved",
  REQUEST_CHANGES: "pull_request_review_rejected",
  COMMENT: "pull_request_review_comment",
} as const

const STATE = ["issues", "pull_request"] as const

function changesOf(site: Needed["site"], event: DomainEvent): readonly IssueChange[] {
  switch (event.kind) {
    case "issue.opened":
      return [{ event: STATE, action: "opened" }]
    case "issue.closed":
      return [{ event: STATE, action: "closed", commitId: event.commitId }]
    case "pull.merged":
      return [{ event: STATE, action: "closed" }]
    case "issue.reopened":
      return [{ event: STATE, action: "reopened", commitId: event.commitId }]
    case "issue.deleted":
      return [{ event: STATE, action: "deleted" }]
    case "issue.edited":
      return [{ event: STATE, action: "edited", changes: () => textChanges(event) }]
    case "issue.labelled": {
      const changes = (home: Owned) => ({
        added_labels: event.added.map((label) => presentLabel(site, home, label)),
        removed_labels: event.removed.map((label) => presentLabel(site, home, label)),
      })
      return [{ event: ["issue_label", "pull_request_label"], action: event.cleared ? "label_cleared" : "label_updated", changes }]
    }
    case "issue.milestoned":
      return [{ event: ["issue_milestone", "pull_request_milestone"], action: event.to === null ? "demilestoned" : "milestoned" }]
    case "issue.assigned": {
      const assign = { event: ["issue_assign", "pull_request_assign"] } as const
      return [
        ...event.removed.map(() => ({ ...assign, action: "unassigned" })),
        ...event.added.map(() => ({ ...assign, action: "assigned" })),
      ]
    }
    case "pull.pushed": {
      const { before, after } = event
      return before === null ? [] : [{ event: only("pull_request_sync"), action: "synchronized", heads: { before, after } }]
    }
    case "review.requested":
    case "review.requestRemoved": {
      const action = event.kind === "review.requested" ? "review_requested" : "review_request_removed"
      return event.requests.map(({ reviewer_id: reviewerId }) => ({ event: only("pull_request_review_request"), action, reviewerId }))
    }
    case "review.submitted": {
      const { state } = event.review
      if (state === "PENDING" || state === "REQUEST_REVIEW") return []
      const type = VERDICTS[state]
      return [{ event: only(type), action: "reviewed", review: { type, content: event.header.content } }]
    }
    default:
      return []
  }
}

/** An event that only pull requests have. */
const only = (event: EventKind): IssueChange["event"] => [event, event]

function textChanges({ changes: { title, body, base } }: EventOf<"issue.edited">): object {
  return {
    ...(title && { title: { from: title.from } }),
    ...(body && { body: { from: body.from } }),
    ...(base && { ref: { from: base.from } }),
  }
}

/** The events of an issue or a pull request, in its current state. */
export function issueAnnouncements(tx: Transaction, services: Needed, event: DomainEvent): readonly Announcement[] {
  return changesOf(services.site, event).flatMap((change) => {
    if (!("issue" in event && "is_pull" in event.issue && "name" in event.actor)) return []
    const { issue, actor } = event
    const isPull = issue.is_pull === 1
    const payload = isPull ? pullPayload : issuePayload
    return [{ event: change.event[isPull ? 1 : 0], sender: actor, payload: (home: Owned) => payload(tx, services, home, issue.id, change) }]
  })
}

async function issuePayload(tx: Transaction, { site }: Needed, home: Owned, issueId: number, change: IssueChange) {
  const row = await requireIssue(tx, issueId)
  return {
    action: change.action,
    number: row.number,
    ...(change.changes && { changes: change.changes(home) }),
    issue: await presentIssue(tx, site, anonymous, row, home),
    commit_id: change.commitId ?? "",
  }
}

async function pullPayload(tx: Transaction, services: Needed, home: Owned, issueId: number, change: IssueChange) {
  const row = await requireIssue(tx, issueId)
  const { reviewerId } = change
  const asked = reviewerId ? (await usersById(tx, [reviewerId])).get(reviewerId) : undefined
  return {
    action: change.action,
    ...change.heads,
    number: row.number,
    ...(change.changes && { changes: change.changes(home) }),
    pull_request: await presentPullOf(tx, services, anonymous, row, home),
    requested_reviewer: asked ? presentUser(services.site, asked) : null,
    commit_id: change.commitId ?? "",
    review: change.review ?? null,
  }
}

async function requireIssue(tx: Transaction, id: number): Promise<Issue> {
  const issue = await findIssueById.first(tx, { id })
  if (!issue) throw new TypeError("an issue is announced while it is there")
  return issue
}
