import type { Generated } from "kysely"
import type { Flag, Seconds } from "../tables.ts"

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
  /** "owner/name" of the head's repository as it was called last, to speak of it once it is gone. */
  head_name: string
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

/** A review, or the wish for one: then state is "REQUEST_REVIEW", and the reviewer may be a team. */
export interface ReviewsTable {
  id: Generated<number>
  issue_id: number
  /** 0 where the reviewer is a team. */
  reviewer_id: number
  reviewer_team_id: number | null
  state: "PENDING" | "APPROVED" | "COMMENT" | "REQUEST_CHANGES" | "REQUEST_REVIEW"
  content: string
  /** The head that was reviewed; "" for wishes. */
  commit_id: string
  /** Counts for the branch's protection. */
  is_official: Flag
  /** The head has changed since. */
  is_stale: Flag
  is_dismissed: Flag
  created_at: Seconds
  updated_at: Seconds
}

/** What a comment of kind "code" has beside its row in `comments`; the first of a line and its replies share review, path and line. */
export interface ReviewCommentsTable {
  comment_id: number
  review_id: number
  path: string
  /** Positive: a line of the new side; negative: of the old. */
  line: number
  /** The hunk of the diff that the line stands in. */
  hunk: string
  /** The head when it was written. */
  commit_id: string
  /** The line has changed since. */
  is_outdated: Flag
}

export interface PullTables {
  pulls: PullsTable
  pull_schedules: PullSchedulesTable
  reviews: ReviewsTable
  review_comments: ReviewCommentsTable
}
