import type { OnIssue } from "../../../access/policies/issues.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { presentIssueAt } from "../../planning/issues/as-of.ts"
import type { PullRequest } from "./records.ts"

/** A pull request as it was: what it has as an issue, and who had been asked for a review. Refuses like `momentOf`. */
export async function pullAt(
  services: Services,
  db: Handle,
  actor: Actor,
  on: OnIssue,
  now: PullRequest,
  text: string,
): Promise<PullRequest> {
  const { as_of, ...was } = await presentIssueAt(services, db, actor, on, text)
  const isMerged = as_of?.merged ?? false
  return {
    ...now,
    title: was.title,
    body: was.body,
    labels: was.labels,
    milestone: was.milestone,
    assignee: was.assignee,
    assignees: was.assignees,
    state: was.state,
    is_locked: was.is_locked,
    comments: was.comments,
    due_date: was.due_date,
    updated_at: was.updated_at,
    closed_at: was.closed_at,
    merged: isMerged,
    merged_at: isMerged ? was.closed_at : null,
    merged_by: isMerged ? now.merged_by : null,
    draft: was.pull_request?.draft ?? false,
    requested_reviewers: as_of?.reviewers ?? [],
    requested_reviewers_teams: [],
    ...(as_of && { as_of }),
  }
}
