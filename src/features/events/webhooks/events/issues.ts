import type { Transaction } from "../../../../core/database/database.ts"
import type { DomainEvent } from "../../../../core/events/event.ts"
import { changesOf, type IssueChange, issuePayload } from "../../../review/pulls/payload.ts"
import type { Announcement, Needed } from "../announce.ts"
import type { EventKind } from "./kinds.ts"

/** The kinds of events, for issues and for pull requests. */
const KINDS = {
  state: ["issues", "pull_request"],
  labels: ["issue_label", "pull_request_label"],
  milestone: ["issue_milestone", "pull_request_milestone"],
  assignees: ["issue_assign", "pull_request_assign"],
  commits: ["pull_request_sync", "pull_request_sync"],
  "review requests": ["pull_request_review_request", "pull_request_review_request"],
  review: ["pull_request_review_comment", "pull_request_review_comment"],
} as const satisfies Readonly<Record<IssueChange["about"], readonly [EventKind, EventKind]>>

/** The events of an issue or a pull request, in its current state. */
export function issueAnnouncements(tx: Transaction, services: Needed, event: DomainEvent): readonly Announcement[] {
  return changesOf(event).flatMap((change) => {
    if (!("issue" in event && "is_pull" in event.issue && "name" in event.actor)) return []
    const { issue, actor } = event
    const kind = change.review?.type ?? KINDS[change.about][issue.is_pull]
    return [{ event: kind, sender: actor, payload: (home) => issuePayload(tx, services, home, issue.id, change) }]
  })
}
