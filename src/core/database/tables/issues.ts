import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** The last number of an issue or pull request in a repository. Numbers are never reused. */
export interface IssueCountersTable {
  repository_id: number
  last_number: number
}

/** Issues and pull requests share one table and one sequence of numbers in each repository. */
export interface IssuesTable {
  id: Generated<number>
  repository_id: number
  number: number
  is_pull: Flag
  author_id: number
  title: string
  content: string
  /** Incremented with every change of the body: an edit of an older version is refused. */
  content_version: Generated<number>
  ref: Generated<string>
  milestone_id: Generated<number | null>
  is_closed: Generated<Flag>
  closed_at: Generated<Seconds>
  is_locked: Generated<Flag>
  /** 0: not pinned; otherwise the position among the pinned ones. */
  pin_order: Generated<number>
  due_at: Generated<Seconds>
  /** Seconds. */
  time_estimate: Generated<number>
  /** Plain and review comments. */
  comments_count: Generated<number>
  /** Who wrote it on the server that it was brought from; "" for what was written here. */
  original_author: Generated<string>
  original_author_id: Generated<number>
  /** Why it was closed; "" where it is open, or was completed. */
  close_reason: Generated<CloseReason>
  /** The issue that it repeats, as far as that is still there. */
  duplicate_of_id: Generated<number | null>
  /** The name of the token for one task that made it; "" where a person did. */
  made_with: Generated<string>
  created_at: Seconds
  updated_at: Seconds
}

/** "" is completed: what is closed by a commit or by a client of the API is. */
export type CloseReason = "" | "not_planned" | "duplicate"

/** Where issues were before they were transferred. Their numbers there are not used again. */
export interface MovedIssuesTable {
  repository_id: number
  number: number
  issue_id: number
  moved_at: Seconds
}

export interface IssueAssigneesTable {
  id: Generated<number>
  issue_id: number
  user_id: number
}

export interface IssueLabelsTable {
  issue_id: number
  label_id: number
}

/** Who was mentioned in an issue, in its body or a comment. */
export interface IssueMentionsTable {
  issue_id: number
  user_id: number
}

export interface MilestonesTable {
  id: Generated<number>
  repository_id: number
  title: string
  description: string
  is_closed: Flag
  closed_at: Seconds
  due_at: Seconds
  open_issues_count: Generated<number>
  closed_issues_count: Generated<number>
  created_at: Seconds
  updated_at: Seconds
}

/** The timeline of an issue, in order; plain comments are one kind of entry. Which columns are used depends on the kind. */
export interface CommentsTable {
  id: Generated<number>
  issue_id: number
  /** The word of the API: "comment", "close", "label", … */
  kind: string
  author_id: number
  content: Generated<string>
  content_version: Generated<number>
  label_id: Generated<number | null>
  milestone_id: Generated<number | null>
  old_milestone_id: Generated<number | null>
  project_id: Generated<number | null>
  old_project_id: Generated<number | null>
  assignee_id: Generated<number | null>
  assignee_team_id: Generated<number | null>
  removed_assignee: Generated<Flag>
  old_title: Generated<string>
  new_title: Generated<string>
  old_ref: Generated<string>
  new_ref: Generated<string>
  /** The issue or comment with the text that refers to this issue. */
  ref_repository_id: Generated<number | null>
  ref_issue_id: Generated<number | null>
  ref_comment_id: Generated<number | null>
  /** "none", "closes", "reopens", or "neutered" when the text is gone. */
  ref_action: Generated<string>
  commit_id: Generated<string>
  dependent_issue_id: Generated<number | null>
  tracked_time_id: Generated<number | null>
  review_id: Generated<number | null>
  resolver_id: Generated<number | null>
  /** Why the issue was closed by this, and which one it repeats. */
  close_reason: Generated<CloseReason>
  duplicate_of_id: Generated<number | null>
  /** Who wrote it on the server that it was brought from; "" for what was written here. */
  original_author: Generated<string>
  original_author_id: Generated<number>
  /** The name of the token for one task that made it; "" where a person did. */
  made_with: Generated<string>
  created_at: Seconds
  updated_at: Seconds
}

/** Explicit subscriptions to an issue, or refusals of one. */
export interface IssueWatchesTable {
  issue_id: number
  user_id: number
  is_watching: Flag
  updated_at: Seconds
}

/** `issue_id` waits for `dependency_id`. */
export interface IssueDependenciesTable {
  issue_id: number
  dependency_id: number
  user_id: number
  created_at: Seconds
}

export interface TrackedTimesTable {
  id: Generated<number>
  issue_id: number
  user_id: number
  /** Seconds. */
  seconds: number
  /** Deleted entries are kept, but excluded from lists and sums: the timeline refers to them. */
  is_deleted: Generated<Flag>
  /** When it was spent. */
  created_at: Seconds
  /** When it was recorded. */
  updated_at: Seconds
}

export interface StopwatchesTable {
  user_id: number
  issue_id: number
  created_at: Seconds
}

/** On an issue's body (comment_id 0) or on a comment. */
export interface ReactionsTable {
  id: Generated<number>
  issue_id: number
  comment_id: number
  user_id: number
  content: string
  created_at: Seconds
}

export interface AttachmentsTable {
  id: Generated<number>
  uuid: string
  repository_id: number
  issue_id: number | null
  /** 0 for the issue's body. */
  comment_id: number
  release_id: number | null
  uploader_id: number
  name: string
  /** Bytes. */
  size: number
  download_count: Generated<number>
  created_at: Seconds
}

/** Notifications: one thread for each person and subject. */
export interface NotificationsTable {
  id: Generated<number>
  user_id: number
  repository_id: number
  subject: "issue" | "pull" | "repository" | "run" | "release"
  issue_id: number | null
  run_id: number | null
  release_id: number | null
  status: "unread" | "read" | "pinned"
  created_at: Seconds
  updated_at: Seconds
}

/** How many issues and pull requests a repository has in each state; kept by triggers (see migrations/totals.ts). */
export interface IssueTotalsTable {
  repository_id: number
  is_pull: Flag
  is_closed: Flag
  total: number
}

/** Where each plain comment is; kept by triggers. */
export interface PlacedCommentsTable {
  comment_id: number
  issue_id: number
  repository_id: number
  is_pull: Flag
  created_at: Seconds
}

/** How many of them a repository has; kept by triggers. */
export interface CommentTotalsTable {
  repository_id: number
  is_pull: Flag
  total: number
}

/** The number of a person's threads of a kind, kept by triggers (see migrations/totals.ts). */
export interface NotificationTotalsTable {
  user_id: number
  repository_id: number
  subject: NotificationsTable["subject"]
  status: NotificationsTable["status"]
  total: number
}

/** The number of rows of a feed with the same values of the columns that decide who may see them, kept by triggers. */
export interface ActivityTotalsTable {
  receiver_id: number
  repository_id: number
  actor_id: number
  unit: string
  is_private: Flag
  is_hidden: Flag
  total: number
}

export interface LabelsTable {
  id: Generated<number>
  /** Exactly one of repository_id and organization_id is set. */
  repository_id: number | null
  organization_id: number | null
  name: string
  description: string
  /** Six hex digits, lower case, without "#". */
  color: string
  exclusive: Flag
  is_archived: Flag
  created_at: Seconds
  updated_at: Seconds
}

export interface IssueTables {
  labels: LabelsTable
  issue_counters: IssueCountersTable
  issues: IssuesTable
  issue_totals: IssueTotalsTable
  moved_issues: MovedIssuesTable
  issue_assignees: IssueAssigneesTable
  issue_labels: IssueLabelsTable
  issue_mentions: IssueMentionsTable
  milestones: MilestonesTable
  comments: CommentsTable
  placed_comments: PlacedCommentsTable
  comment_totals: CommentTotalsTable
  issue_watches: IssueWatchesTable
  issue_dependencies: IssueDependenciesTable
  tracked_times: TrackedTimesTable
  stopwatches: StopwatchesTable
  reactions: ReactionsTable
  attachments: AttachmentsTable
  notifications: NotificationsTable
  notification_totals: NotificationTotalsTable
  activity_totals: ActivityTotalsTable
}
