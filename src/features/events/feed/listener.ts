import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Delivery, Listener } from "../../../core/events/events.ts"
import { branchOf, branchRef, tagRef } from "../../../git/index.ts"
import { GHOST } from "../../people/users/present.ts"
import { abbreviate } from "./abbreviate.ts"
import { type NewActivity, recordActivity } from "./rules.ts"
import { changeActivitiesOfOwner, forgetIssueActivities, hideActivities, moveIssueActivities, showActivities } from "./store.ts"

/** Writes domain events into the feeds of users and organisations. */
export const feed: Listener = {
  name: "feed",
  onlyTells: true,
  async hear({ tx, events, entries }) {
    for (const event of events) {
      if (event.kind === "issue.deleted") await forgetIssueActivities(tx, event.issue)
      if (event.kind === "issue.transferred") await moveIssueActivities(tx, event)
      if (event.kind === "repository.madePrivate") await hideActivities(tx, event.repository.id)
      if (event.kind === "repository.madePublic") await showActivities(tx, event.repository.id)
      if (event.kind === "organization.edited" && event.changed.includes("visibility"))
        await changeActivitiesOfOwner(tx, event.organization)
      if (event.kind === "review.dismissed") await recordActivity(tx, await dismissalOf(tx, event, entries))
      for (const activity of activitiesOf(event, entries)) await recordActivity(tx, activity)
    }
  },
}

function activitiesOf(event: DomainEvent, entries: Delivery["entries"]): readonly NewActivity[] {
  if (!("repository" in event && "owner" in event)) return []
  const { repository, owner, actor, at: now } = event
  const activity = { repository, owner, actor, now }
  switch (event.kind) {
    case "issue.opened": {
      const { issue } = event
      const kind = issue.is_pull === 1 ? "create_pull_request" : "create_issue"
      return [{ ...activity, kind, content: `${issue.number}|${issue.title}` }]
    }
    case "issue.closed":
    case "issue.reopened": {
      const { issue } = event
      const verb = event.kind === "issue.closed" ? "close" : "reopen"
      const kind = issue.is_pull === 1 ? (`${verb}_pull_request` as const) : (`${verb}_issue` as const)
      return [{ ...activity, kind, content: `${issue.number}|`, commentId: entries.get(event) ?? 0 }]
    }
    case "comment.created": {
      const { issue, comment } = event
      const kind = issue.is_pull === 1 ? "comment_pull" : "comment_issue"
      return [{ ...activity, kind, content: `${issue.number}|${abbreviate(comment.content)}`, commentId: comment.id }]
    }
    case "pull.merged": {
      const { issue, isAutomatic } = event
      const kind = isAutomatic ? "auto_merge_pull_request" : "merge_pull_request"
      return [{ ...activity, kind, content: `${issue.number}|${issue.title}` }]
    }
    case "pull.ready":
      return [{ ...activity, kind: "pull_request_ready_for_review", content: `${event.issue.number}|${event.issue.title}` }]
    case "review.submitted":
      return reviewActivities(event).map(({ kind, comment }) => ({
        ...activity,
        kind,
        content: `${event.issue.number}|${firstLine(comment.content)}`,
        commentId: comment.id,
      }))
    case "repository.created":
      return event.isImported ? [] : [{ ...activity, kind: "create_repo" }]
    case "repository.renamed":
      return [{ ...activity, kind: "rename_repo", content: event.from }]
    case "repository.transferred":
      return [{ ...activity, kind: "transfer_repo", content: event.from }]
    case "repository.starred":
      return [{ ...activity, kind: "star_repo" }]
    case "repository.watched":
      return [{ ...activity, kind: "watch_repo" }]
    case "branch.renamed":
      return [
        { ...activity, kind: "delete_branch", refName: branchRef(event.from) },
        { ...activity, kind: "commit_repo", refName: branchRef(event.to) },
      ]
    case "reference.created":
    case "reference.moved":
    case "reference.removed":
      return (repository.is_mirror === 1 ? syncActivities(event) : pushActivities(event)).map((entry) => ({
        ...activity,
        ...entry,
        refName: event.ref,
      }))
    case "release.published":
      return [{ ...activity, kind: "publish_release", content: event.release.title, refName: tagRef(event.release.tag_name) }]
    default:
      return []
  }
}

/** A dismissal names the reviewer, whose name the event doesn't carry. */
async function dismissalOf(tx: Transaction, event: EventOf<"review.dismissed">, entries: Delivery["entries"]): Promise<NewActivity> {
  const { repository, owner, actor, issue, review, message, at: now } = event
  const reviewer = (await findUserById.first(tx, { id: review.reviewer_id })) ?? GHOST
  return {
    repository,
    owner,
    actor,
    now,
    kind: "pull_review_dismissed",
    content: `${issue.number}|${reviewer.name}|${abbreviate(message)}`,
    commentId: entries.get(event) ?? 0,
  }
}

/** The feed's kind for a submitted review. */
const VERDICTS = { APPROVED: "approve_pull_request", REQUEST_CHANGES: "reject_pull_request", COMMENT: "comment_pull" } as const

type Remark = Pick<NewActivity, "kind"> & { readonly comment: EventOf<"review.submitted">["header"] }

/** Comments on lines first, then the verdict; a review of line comments alone has no entry of its own. */
function reviewActivities({ review: { state }, header, lines }: EventOf<"review.submitted">): readonly Remark[] {
  const remarks = lines.map((comment) => ({ kind: "comment_pull", comment }) as const)
  if (state === "PENDING" || state === "REQUEST_REVIEW" || (state === "COMMENT" && header.content.trim() === "")) return remarks
  return [...remarks, { kind: VERDICTS[state], comment: header }]
}

/** Longer first lines are truncated. */
const LONGEST_LINE = 5_000

const firstLine = (text: string): string => (text.split("\n", 1)[0] ?? "").slice(0, LONGEST_LINE).toWellFormed()

type ReferenceEvent = EventOf<"reference.created" | "reference.moved" | "reference.removed">
type ReferenceActivity = Pick<NewActivity, "kind" | "content">

function pushActivities({ kind, ref, summary: content }: ReferenceEvent): readonly ReferenceActivity[] {
  const isBranch = branchOf(ref) !== undefined
  if (kind === "reference.removed") return [{ kind: isBranch ? "delete_branch" : "delete_tag", content }]
  if (!isBranch) return [{ kind: "push_tag", content }]
  const pushed = { kind: "commit_repo", content } as const
  // Clients expect a new branch as an entry without content before the one with its commits, where it has some.
  return kind === "reference.created" && content !== "" ? [{ ...pushed, content: "" }, pushed] : [pushed]
}

/** Users can't push to a mirror: its references change only with the remote repository. */
function syncActivities({ kind, summary: content }: ReferenceEvent): readonly ReferenceActivity[] {
  if (kind === "reference.removed") return [{ kind: "mirror_sync_delete", content: "" }]
  const pushed = { kind: "mirror_sync_push", content } as const
  return kind === "reference.created" ? [pushed, { kind: "mirror_sync_create", content: "" }] : [pushed]
}
