import type { Generated } from "kysely"
import type { Flag, Seconds } from "./types.ts"

/** What a pull request has beside the issue that it is (same repository_id and number; `issues.is_pull` is 1). */
export interface PullsTable {
  id: Generated<number>
  issue_id: number
  /** The repository that it is to be merged into. */
  repository_id: number
  base_branch: string
  /** Empty when the fork is gone. */
  head_repository_id: number | null
  head_branch: string
  /** The commit that the head branch names, or named last: what refs/pull/N/head is. */
  head_id: string
  /** The base branch's commit that the columns from merge_base on were worked out for. */
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
  /** The journal entry of the last attempt to merge it: while that is there, somebody is merging. */
  merge_entry: Generated<number>
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
 * A review, or the wish for one: then state is "REQUEST_REVIEW", and the reviewer may be a team. What a review says stands in the one entry of
 * the timeline that belongs to it, of the kind "review" (while it is pending, "review_draft").
 */
export interface ReviewsTable {
  id: Generated<number>
  issue_id: number
  /** 0 where the reviewer is a team. */
  reviewer_id: number
  reviewer_team_id: number | null
  state: "PENDING" | "APPROVED" | "COMMENT" | "REQUEST_CHANGES" | "REQUEST_REVIEW"
  /** The head that was reviewed; "" for wishes. */
  commit_id: string
  /** A digest of what that head changed, to tell whether a later one changes the same; "" for wishes. */
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
 * What a comment of kind "code" (while its review is pending, "code_draft") has beside its row in `comments`; the first of a line and its
 * replies share review, path and line.
 */
export interface ReviewCommentsTable {
  comment_id: number
  review_id: number
  path: string
  /** Positive: a line of the head; negative: of what it is compared with. Follows the line to where pushes move it. */
  line: number
  /** The lines of the diff that led to it, as they were when it was written. */
  hunk: string
  /** The commit that touched the line last when it was written; of the old side, the head. */
  commit_id: string
  /** The line has changed since, and `line` is where it was last. */
  is_outdated: Flag
}

export interface PullTables {
  pulls: PullsTable
  pull_schedules: PullSchedulesTable
  reviews: ReviewsTable
  review_comments: ReviewCommentsTable
}
