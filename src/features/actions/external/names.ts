/** The names by which webhooks and workflows know what has happened. */

/** The events of webhooks that can be switched on individually, in display order. */
export const SWITCHES = [
  "create",
  "delete",
  "fork",
  "push",
  "issues",
  "issue_assign",
  "issue_label",
  "issue_milestone",
  "issue_comment",
  "pull_request",
  "pull_request_assign",
  "pull_request_label",
  "pull_request_milestone",
  "pull_request_comment",
  "pull_request_review",
  "pull_request_sync",
  "pull_request_review_request",
  "merge_group",
  "wiki",
  "repository",
  "release",
  "package",
  "status",
  "workflow_run",
  "workflow_job",
] as const
export type Switch = (typeof SWITCHES)[number]

/** What webhooks of an organisation can be told of beside: each entry of its audit log. No other webhook hears it. */
export const AUDIT = "audit"

/** Each verdict of a review is an event of its own; one switch covers the three. */
export const REVIEW_EVENTS = {
  APPROVED: "pull_request_review_approved",
  REQUEST_CHANGES: "pull_request_review_rejected",
  COMMENT: "pull_request_review_comment",
} as const
export type ReviewEvent = (typeof REVIEW_EVENTS)[keyof typeof REVIEW_EVENTS]
export type WebhookEvent = Exclude<Switch, "pull_request_review"> | ReviewEvent | typeof AUDIT

/** The name under which receivers of webhooks know an event; several events share one. */
const PUBLIC_NAMES: Readonly<Record<string, string>> = {
  issue_assign: "issues",
  issue_label: "issues",
  issue_milestone: "issues",
  pull_request_comment: "issue_comment",
  pull_request_assign: "pull_request",
  pull_request_label: "pull_request",
  pull_request_milestone: "pull_request",
  pull_request_sync: "pull_request",
  pull_request_review_request: "pull_request",
  pull_request_review_approved: "pull_request_approved",
  pull_request_review_rejected: "pull_request_rejected",
  pull_request_review_comment: "pull_request_comment",
}
export const publicName = (event: string): string => PUBLIC_NAMES[event] ?? event

/** The events for which the workflows of the default branch are read; which of them these listen to is stored. */
export const DEFAULT_BRANCH_EVENTS = ["delete", "fork", "gollum", "issue_comment", "issues", "registry_package", "workflow_run"] as const
export type DefaultBranchEvent = (typeof DEFAULT_BRANCH_EVENTS)[number]

/** The events for which the workflows of a pull request are read, from its head or its base. */
export const PULL_EVENTS = ["pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"] as const
export type PullEvent = (typeof PULL_EVENTS)[number]
