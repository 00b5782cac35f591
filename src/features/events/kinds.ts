/** What people are notified of about issues and pull requests, in the list and by mail. */

/** For every participant of the issue: author, assignees, commenters, requested reviewers, watchers, subscribers; not for users who unsubscribed. */
export const BROADCAST = [
  "created",
  "commented",
  "closed",
  "reopened",
  "transferred",
  "merged",
  "pushed",
  "reviewed",
  "dismissed",
  "ready",
] as const
/** For the named users only. */
export const DIRECT = ["assigned", "mentioned", "review_requested"] as const
