import type { Selectable } from "kysely"
import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import { findIssueById } from "../../../access/store.ts"
import { anonymous } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { EventOf } from "../../../core/events/event.ts"
import type { Services } from "../../../core/services.ts"
import type { Site } from "../../../core/site.ts"
import { usersById } from "../../code/repositories/store.ts"
import { presentUser } from "../../people/users/present.ts"
import { presentOne } from "../../planning/comments/present.ts"
import { presentIssue } from "../../planning/issues/present.ts"
import { presentLabel } from "../../planning/labels/present.ts"
import { presentPullOf } from "../../review/pulls/present.ts"
import type { ReviewEvent } from "./names.ts"

/** What webhooks and workflows are told of issues, pull requests and their comments, besides the repository and the user. */

type Label = Selectable<Tables["labels"]>

/** A change of an issue or a pull request, without the issue itself. Plain data, which jobs can store. */
export interface IssueChange {
  readonly action: string
  readonly text?: EventOf<"issue.edited">["changes"]
  readonly labels?: { readonly added: readonly Label[]; readonly removed: readonly Label[] }
  readonly commitId?: string | undefined
  /** The head before and after a push. */
  readonly heads?: { readonly before: string; readonly after: string }
  /** The requested reviewer; 0 for a team. */
  readonly reviewerId?: number
  readonly review?: { readonly type: ReviewEvent; readonly content: string }
}

/** The payload of a change, with the issue or pull request in its current state. */
export async function issuePayload(db: Handle, services: Services, home: Owned, issueId: number, change: IssueChange) {
  const row = await requireIssue(db, issueId)
  return row.is_pull === 1 ? ofPull(db, services, home, row, change) : ofIssue(db, services, home, row, change)
}

const ofIssue = async (db: Handle, { site }: Services, home: Owned, row: Issue, change: IssueChange) => ({
  action: change.action,
  number: row.number,
  ...changesIn(site, home, change),
  issue: await presentIssue(db, site, anonymous, row, home),
  commit_id: change.commitId ?? "",
})

async function ofPull(db: Handle, services: Services, home: Owned, row: Issue, change: IssueChange) {
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

export type CommentEvent = EventOf<"comment.created" | "comment.edited" | "comment.deleted" | "comment.restored">

/** The payload of a comment, which is still there when it is deleted. */
export async function commentPayload(db: Handle, services: Services, home: Owned, action: string, event: CommentEvent) {
  const issue = await requireIssue(db, event.issue.id)
  const isPull = issue.is_pull === 1
  return {
    action,
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
