import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** The columns that a pull request has besides those of its issue (same repository_id and number; `issues.is_pull` is 1). */
export interface PullsTable {
  id: Generated<number>
  issue_id: number
  /** The repository that it is to be merged into. */
  repository_id: number
  base_branch: string
  /** Null when the fork is deleted, and for one that was offered. */
  head_repository_id: number | null
  /** Of one that was offered: the name of its author and its topic, as `ann/topic`. There is no such branch. */
  head_branch: string
  /** Whether its commits were pushed to refs/for/…: refs/pull/N/head alone has them. */
  is_offered: Generated<Flag>
  /** The commit of the head branch, or its last one: refs/pull/N/head. */
  head_id: string
  /** In a stack the commit below it, which it is compared with instead of its base branch; "" elsewhere, and for the lowest. */
  stands_on: Generated<string>
  /** The base branch's commit, or stands_on, for which the columns from merge_base on were computed. */
  base_id: string
  merge_base: string
  /** Whether it can be merged: "empty" changes nothing, "ancestor" is contained in the base already. */
  mergeability: "checking" | "mergeable" | "conflict" | "empty" | "ancestor" | "error"
  /** A JSON list of the paths in conflict. */
  conflicted_files: string
  additions: number
  deletions: number
  changed_files: number
  commits_ahead: number
  commits_behind: number
  allow_maintainer_edit: Flag
  is_merged: Flag
  merged_at: Seconds
  merged_by_id: number
  merge_commit_id: string
  /** Set by hand: the merge was done outside. */
  is_merged_manually: Flag
  /** The journal entry of the last attempt to merge it: while that row exists, a merge is under way. */
  merge_entry: Generated<number>
}

/** What a pull request has besides that was pushed as one change of a series. Its base branch, topic and author say which it is. */
export interface StackedChangesTable {
  pull_id: number
  /** The identity that its commits keep. */
  change_id: string
  /** The pull request of the change below it; null for the lowest, and where that was deleted. */
  below_id: number | null
  /** Why the server could not rebase it; "" where nothing is wrong. */
  note: string
}

/** The heads that a pull request has had. */
export interface PullVersionsTable {
  pull_id: number
  /** From 1. */
  number: number
  head_id: string
  /** Where its changes began: the merge base then, or the commit below it. */
  base_id: string
  pusher_id: number
  created_at: Seconds
}

/** A merge that waits for its checks. */
export interface PullSchedulesTable {
  pull_id: number
  user_id: number
  style: string
  message: string
  delete_branch: Flag
  created_at: Seconds
}

/**
 * A review, or a request for one: then state is "REQUEST_REVIEW", and the reviewer may be a team. The text of a review is in its entry of the
 * timeline, of the kind "review" (while it is pending, "review_draft").
 */
export interface ReviewsTable {
  id: Generated<number>
  issue_id: number
  /** 0 where the reviewer is a team. */
  reviewer_id: number
  reviewer_team_id: number | null
  state: "PENDING" | "APPROVED" | "COMMENT" | "REQUEST_CHANGES" | "REQUEST_REVIEW"
  /** The head that was reviewed; "" for requests. */
  commit_id: string
  /** A digest of the changes of that head, to see whether a later one has the same changes; "" for requests. */
  patch_id: string
  /** Counts for the branch's protection. */
  is_official: Flag
  /** The head has changed since. */
  is_stale: Flag
  is_dismissed: Flag
  created_at: Seconds
  updated_at: Seconds
}

/**
 * The columns of a comment of kind "code" (while its review is pending, "code_draft") besides its row in `comments`; the first comment on a line
 * and its replies share review, path and line.
 */
export interface ReviewCommentsTable {
  comment_id: number
  review_id: number
  path: string
  /** Positive: a line of the head; negative: of the merge base. Updated when pushes move the line. */
  line: number
  /** How many lines it is about; `line` is the last of them. */
  lines: Generated<number>
  /** The lines of the diff before it, as they were when it was written. */
  hunk: string
  /** The commit that last changed the line when it was written; for the old side, the head. */
  commit_id: string
  /** The line has changed since, and `line` is its last position. */
  is_outdated: Flag
}

/** The files of a pull request that someone has viewed, as they were then. */
export interface ViewedFilesTable {
  user_id: number
  pull_id: number
  path: string
  /** The blob at the head; "" where the file is deleted. */
  blob_id: string
}

/** A branch whose pull requests line up. It is written when the first one does, or when it is frozen. */
export interface MergeQueuesTable {
  id: Generated<number>
  repository_id: number
  branch: string
  /** Nothing lands. */
  is_frozen: Generated<Flag>
  frozen_reason: Generated<string>
  frozen_by_id: Generated<number>
  frozen_at: Generated<Seconds>
}

/** Some pull requests of a queue together, as a commit that is tested. A queue has at most one that has not ended. */
export interface MergeTrialsTable {
  id: Generated<number>
  queue_id: number
  /** "building": its reference isn't written yet; "passed": it may land; the others have ended. "dropped" says nothing about its commits. */
  state: "building" | "testing" | "passed" | "landed" | "failed" | "dropped"
  /** The commit of the branch that it is built on. */
  base_id: string
  /** The commit that is tested, and that the branch moves to. */
  commit_id: string
  /** A JSON list of the numbers of its pull requests, in their order. */
  numbers: string
  /** Why it failed or was dropped, as `storedWords`. */
  reason: Generated<string>
  /** Who lined up the first of them. */
  actor_id: number
  /** The number of the last status that its commit had when it began. */
  statuses_before: Generated<number>
  /** The journal entry of the push that lands it. */
  landing_entry: Generated<number>
  created_at: Seconds
  ended_at: Generated<Seconds>
}

/** A pull request that has lined up. */
export interface MergeQueueEntriesTable {
  id: Generated<number>
  queue_id: number
  pull_id: number
  /** Who lined it up, in whose name it is merged. */
  user_id: number
  /** The head that was lined up: no other is merged. */
  head_id: string
  delete_branch: Flag
  /** Higher ones come first. */
  priority: Generated<number>
  /** The most pull requests that it is tried with, since a trial with more has failed; 0 for no limit. */
  span: Generated<number>
  /** The trial that it is part of; 0 for none. */
  trial_id: Generated<number>
  /** What its part of the trial ends with. */
  commit_id: Generated<string>
  created_at: Seconds
}

export interface PullTables {
  merge_queues: MergeQueuesTable
  merge_trials: MergeTrialsTable
  merge_queue_entries: MergeQueueEntriesTable
  viewed_files: ViewedFilesTable
  pulls: PullsTable
  pull_schedules: PullSchedulesTable
  pull_versions: PullVersionsTable
  stacked_changes: StackedChangesTable
  reviews: ReviewsTable
  review_comments: ReviewCommentsTable
}
