import type { Owned } from "../../../../access/permission.ts"
import type { Issue } from "../../../../access/policies/issues.ts"
import { findIssueById, findPullByIssue } from "../../../../access/store.ts"
import { anonymous, type User } from "../../../../core/actor.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import { startWorkflowsForPull } from "../../../actions/triggers/pull-kind.ts"
import { usersById } from "../../../code/repositories/store.ts"
import { presentUser } from "../../../people/users/present.ts"
import { presentIssue } from "../../../planning/issues/present.ts"
import { presentPull } from "../../../review/pulls/present.ts"
import { type Announcement, announceEvents, type Needed } from "../announce.ts"

/** What webhooks are told of issues and pull requests. */

/** What was before, by the name of what has changed. */
export interface Changes {
  readonly title?: { readonly from: string }
  readonly body?: { readonly from: string }
  readonly ref?: { readonly from: string }
  readonly added_labels?: readonly object[]
  readonly removed_labels?: readonly object[]
}

export type IssueNews =
  | { readonly of: "state"; readonly action: "opened" | "closed" | "reopened" | "deleted"; readonly commitId?: string }
  | { readonly of: "texts"; readonly action: "edited"; readonly changes: Changes }
  | { readonly of: "labels"; readonly action: "label_updated" | "label_cleared"; readonly changes: Changes }
  | { readonly of: "milestone"; readonly action: "milestoned" | "demilestoned" }
  | { readonly of: "assignee"; readonly action: "assigned" | "unassigned" }
  | { readonly of: "push"; readonly action: "synchronized"; readonly before: string; readonly after: string }
  | { readonly of: "reviewer"; readonly action: "review_requested" | "review_request_removed"; readonly reviewerId: number }
  | {
      readonly of: "review"
      readonly action: "reviewed"
      readonly event: "pull_request_review_approved" | "pull_request_review_rejected" | "pull_request_review_comment"
      readonly content: string
    }

/** Tells webhooks what happened to an issue or a pull request, as it is now, and has workflows started that wait for it. */
export async function announceIssue(
  tx: Transaction,
  services: Needed,
  { issue, actor }: { readonly issue: Pick<Issue, "id" | "repository_id" | "is_pull">; readonly actor: User },
  ...news: readonly IssueNews[]
): Promise<void> {
  await announceEvents(
    tx,
    services,
    { repositoryId: issue.repository_id, sender: actor },
    news.map(
      (each): Announcement => ({
        event: eventOf(each, issue.is_pull === 1),
        payload: (home) =>
          issue.is_pull === 1 ? pullPayload(tx, services, home, issue.id, each) : issuePayload(tx, services, home, issue.id, each),
      }),
    ),
  )
  if (issue.is_pull === 0) return
  for (const { action, ...each } of news)
    await startWorkflowsForPull(tx, services, {
      issueId: issue.id,
      actorId: actor.id,
      action,
      ...(each.of === "push" && { headId: each.after }),
    })
}

export interface NewIssue {
  readonly issue: Pick<Issue, "id" | "repository_id" | "is_pull">
  readonly actor: User
  /** What it was given at once: labels as the API shows them, and the number of people. */
  readonly labels: readonly object[]
  readonly milestone: number | undefined
  readonly assignees: number
}

/** Tells webhooks that an issue or a pull request was opened, and then of what it was given at once. */
export const announceNewIssue = (tx: Transaction, services: Needed, { labels, milestone, assignees, ...about }: NewIssue): Promise<void> =>
  announceIssue(
    tx,
    services,
    about,
    { of: "state", action: "opened" },
    ...(labels.length > 0
      ? [{ of: "labels", action: "label_updated", changes: { added_labels: labels, removed_labels: [] } } as const]
      : []),
    ...(milestone ? [{ of: "milestone", action: "milestoned" } as const] : []),
    ...Array.from({ length: assignees }, () => ({ of: "assignee", action: "assigned" }) as const),
  )

function eventOf(news: IssueNews, isPull: boolean): Announcement["event"] {
  switch (news.of) {
    case "state":
    case "texts":
      return isPull ? "pull_request" : "issues"
    case "labels":
      return isPull ? "pull_request_label" : "issue_label"
    case "milestone":
      return isPull ? "pull_request_milestone" : "issue_milestone"
    case "assignee":
      return isPull ? "pull_request_assign" : "issue_assign"
    case "push":
      return "pull_request_sync"
    case "reviewer":
      return "pull_request_review_request"
    case "review":
      return news.event
  }
}

const changesIn = (news: IssueNews) => ("changes" in news ? { changes: news.changes } : {})
const commitIn = (news: IssueNews): string => (news.of === "state" ? (news.commitId ?? "") : "")

async function issuePayload(tx: Transaction, { site }: Needed, home: Owned, issueId: number, news: IssueNews) {
  const row = await requireIssue(tx, issueId)
  return {
    action: news.action,
    number: row.number,
    ...changesIn(news),
    issue: await presentIssue(tx, site, anonymous, row, home),
    commit_id: commitIn(news),
  }
}

async function pullPayload(tx: Transaction, services: Needed, home: Owned, issueId: number, news: IssueNews) {
  const row = await requireIssue(tx, issueId)
  const asked = news.of === "reviewer" ? (await usersById(tx, [news.reviewerId])).get(news.reviewerId) : undefined
  return {
    action: news.action,
    ...(news.of === "push" && { before: news.before, after: news.after }),
    number: row.number,
    ...changesIn(news),
    pull_request: await pullRecord(tx, services, home, row),
    requested_reviewer: asked ? presentUser(services.site, asked) : null,
    commit_id: commitIn(news),
    review: news.of === "review" ? { type: news.event, content: news.content } : null,
  }
}

/** A pull request as webhooks are told of it. */
export async function pullRecord(tx: Transaction, services: Needed, home: Owned, issue: Issue) {
  const pull = await findPullByIssue.first(tx, { issueId: issue.id })
  if (!pull) throw new TypeError("a pull request has its row")
  return presentPull(tx, services, anonymous, { issue, pull }, home)
}

async function requireIssue(tx: Transaction, id: number): Promise<Issue> {
  const issue = await findIssueById.first(tx, { id })
  if (!issue) throw new TypeError("an issue is announced while it is there")
  return issue
}
