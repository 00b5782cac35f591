import type { Seconds } from "../../../core/database/tables/index.ts"
import type { DomainEvent } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import { addTimelineEntries, type NewTimelineEntry } from "../../planning/issues/timeline.ts"
import { timeText } from "../../planning/tracking/time-text.ts"

/** Writes domain events into the timelines of issues and pull requests. Comments and reviews are written by their own rules. */
export const timeline: Listener = {
  name: "timeline",
  async hear({ tx, services, events, entries }) {
    const now = services.now()
    const occurred = events.flatMap((event) => entriesOf(event, now).map((entry) => ({ event, entry })))
    if (occurred.length === 0) return
    const rows = await addTimelineEntries(
      tx,
      occurred.map(({ entry }) => entry),
    )
    for (const [index, { event }] of occurred.entries()) {
      const row = rows[index]
      if (row && !entries.has(event)) entries.set(event, row.id)
    }
  },
}

/** The day of a time in UTC, in the format of timelines. */
const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** The short name of a branch or tag. */
const short = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, "")

function entriesOf(event: DomainEvent, now: Seconds): readonly NewTimelineEntry[] {
  if (!("issue" in event)) return []
  const entry = { issueId: event.issue.id, authorId: event.actor.id, now: event.at ?? now }
  switch (event.kind) {
    case "issue.edited": {
      const { title, base } = event.changes
      return [
        ...(title ? [{ ...entry, kind: "change_title", old_title: title.from, new_title: title.to } as const] : []),
        ...(base ? [{ ...entry, kind: "change_target_branch", old_ref: base.from, new_ref: base.to } as const] : []),
      ]
    }
    case "issue.closed":
      return [{ ...entry, kind: "close", close_reason: event.issue.close_reason, duplicate_of_id: event.issue.duplicate_of_id }]
    case "issue.reopened":
      return [{ ...entry, kind: "reopen" }]
    case "issue.labelled":
      return [
        ...event.removed.map(({ id }) => ({ ...entry, kind: "label", label_id: id, content: "" }) as const),
        ...event.added.map(({ id }) => ({ ...entry, kind: "label", label_id: id, content: "1" }) as const),
      ]
    case "issue.milestoned":
      return [{ ...entry, kind: "milestone", milestone_id: event.to, old_milestone_id: event.from }]
    case "issue.assigned":
      return [
        ...event.removed.map(({ id }) => ({ ...entry, kind: "assignees", assignee_id: id, removed_assignee: 1 }) as const),
        ...event.added.map(({ id }) => ({ ...entry, kind: "assignees", assignee_id: id }) as const),
      ]
    case "issue.dueDateChanged":
      if (event.to === 0) return [{ ...entry, kind: "removed_deadline", content: dayOf(event.from) }]
      if (event.from === 0) return [{ ...entry, kind: "added_deadline", content: dayOf(event.to) }]
      return [{ ...entry, kind: "modified_deadline", content: `${dayOf(event.to)}|${dayOf(event.from)}` }]
    case "issue.branchChanged":
      return [{ ...entry, kind: "change_issue_ref", old_ref: short(event.from), new_ref: short(event.to) }]
    case "issue.locked":
      return [{ ...entry, kind: "lock", content: event.reason }]
    case "issue.unlocked":
      return [{ ...entry, kind: "unlock" }]
    case "issue.transferred":
      return [{ ...entry, kind: "transfer" }]
    case "issue.pinned":
      return [{ ...entry, kind: "pin" }]
    case "issue.unpinned":
      return [{ ...entry, kind: "unpin" }]
    case "issue.referenced": {
      const { by: kind, source, action } = event
      const { repositoryId, issueId, commentId } = source
      return [{ ...entry, kind, ref_repository_id: repositoryId, ref_issue_id: issueId, ref_comment_id: commentId, ref_action: action }]
    }
    case "issue.referencedByCommit":
      return [{ ...entry, kind: "commit_ref", content: event.html, commit_id: event.commitId }]
    case "issue.dependencyAdded":
      return [{ ...entry, kind: "add_dependency", dependent_issue_id: event.other.id }]
    case "issue.dependencyRemoved":
      return [{ ...entry, kind: "remove_dependency", dependent_issue_id: event.other.id }]
    case "issue.projectAdded":
      return [{ ...entry, kind: "project", project_id: event.projectId }]
    case "issue.projectRemoved":
      return [{ ...entry, kind: "project", old_project_id: event.projectId }]
    case "issue.projectColumnChanged":
      return [{ ...entry, kind: "project_board", project_id: event.projectId }]
    case "time.started":
      return [{ ...entry, kind: "start_tracking" }]
    case "time.cancelled":
      return [{ ...entry, kind: "cancel_tracking" }]
    case "time.stopped":
      return [{ ...entry, kind: "stop_tracking", content: timeText(event.time.seconds), tracked_time_id: event.time.id }]
    case "time.added":
      return [{ ...entry, kind: "add_time_manual", content: timeText(event.time.seconds), tracked_time_id: event.time.id }]
    case "time.deleted":
      return [{ ...entry, kind: "delete_time_manual", content: timeText(event.seconds) }]
    case "pull.pushed":
      // Existing clients expect JSON in the body.
      return [{ ...entry, kind: "pull_push", content: JSON.stringify({ is_force_push: event.isForced, commit_ids: event.commits }) }]
    case "pull.merged":
      return [{ ...entry, kind: "merge_pull" }]
    case "pull.mergeScheduled":
      return [{ ...entry, kind: "pull_scheduled_merge" }]
    case "pull.mergeCancelled":
      return [{ ...entry, kind: "pull_cancel_scheduled_merge" }]
    case "queue.queued":
      return [{ ...entry, kind: "pull_queued" }]
    case "queue.removed":
      return [{ ...entry, kind: "pull_unqueued", content: event.reason }]
    case "queue.prioritised":
      return [{ ...entry, kind: "pull_queue_priority", content: String(event.priority) }]
    case "pull.headBranchDeleted":
      return [{ ...entry, kind: "delete_branch", old_ref: event.branch }]
    case "review.dismissed":
      return [{ ...entry, kind: "dismiss_review", content: event.message, review_id: event.review.id }]
    case "review.requested":
      return event.requests.map((request) => ({ ...entry, kind: "review_request", ...requested(request) }) as const)
    case "review.requestRemoved":
      return event.requests.map((request) => ({ ...entry, kind: "review_request", removed_assignee: 1, ...requested(request) }) as const)
    case "issue.opened":
    case "issue.deleted":
    case "issue.versionDeleted":
    case "issue.leaving":
    case "issue.restored":
    case "comment.restored":
    case "issue.pinMoved":
    case "issue.subscribed":
    case "issue.unsubscribed":
    case "card.moved":
    case "reaction.added":
    case "reaction.removed":
    case "attachment.added":
    case "attachment.renamed":
    case "attachment.deleted":
    case "comment.created":
    case "comment.edited":
    case "comment.deleted":
    case "pull.ready":
    case "pull.maintainerEditChanged":
    case "review.submitted":
    case "review.undismissed":
    case "review.deleted":
    case "conversation.resolved":
    case "conversation.reopened":
      return []
  }
}

/** The user or team that a review is requested from. */
const requested = ({ reviewer_id, reviewer_team_id }: { readonly reviewer_id: number; readonly reviewer_team_id: number | null }) =>
  reviewer_team_id === null ? { assignee_id: reviewer_id } : { assignee_team_id: reviewer_team_id }
