import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Pull requests and their reviews. */
export const pulls = { id: 6, name: "pulls", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table(
    "pulls",
    {
      id: "id",
      issue_id: "reference",
      repository_id: "reference",
      base_branch: "text",
      head_repository_id: "reference?",
      head_branch: "text",
      head_id: "text",
      base_id: "text",
      merge_base: "text",
      mergeability: ["text", "checking"],
      conflicted_files: ["text", "[]"],
      additions: "integer",
      deletions: "integer",
      changed_files: "integer",
      commits_ahead: "integer",
      commits_behind: "integer",
      allow_maintainer_edit: "flag",
      is_merged: "flag",
      merged_at: "time",
      merged_by_id: "integer",
      merge_commit_id: "text",
      is_merged_manually: "flag",
      merge_entry: "integer",
    },
    { issue_id: "issues", repository_id: "repositories", head_repository_id: "repositories" },
  )
  // The orders that lists of pull requests are asked for in.
  await index("issues_pulls", "issues", ["repository_id", "is_pull", "number"])
  await index("issues_pulls_updated", "issues", ["repository_id", "is_pull", "updated_at", "number"])
  await index("pulls_issue", "pulls", ["issue_id"], true)
  await index("pulls_base", "pulls", ["repository_id", "base_branch"])
  await index("pulls_head", "pulls", ["head_repository_id", "head_branch"])
  await index("pulls_merge_commit", "pulls", ["repository_id", "merge_commit_id"])
  await table(
    "pull_schedules",
    { pull_id: "reference", user_id: "reference", style: "text", message: "text", delete_branch: "flag", created_at: "time" },
    { pull_id: "pulls", user_id: "users" },
    ["pull_id"],
  )
  await index("pull_schedules_user", "pull_schedules", ["user_id"])

  await table(
    "reviews",
    {
      id: "id",
      issue_id: "reference",
      reviewer_id: "integer",
      reviewer_team_id: "owned?",
      state: "text",
      commit_id: "text",
      patch_id: "text",
      is_official: "flag",
      is_stale: "flag",
      is_dismissed: "flag",
      created_at: "time",
      updated_at: "time",
    },
    { issue_id: "issues", reviewer_team_id: "teams" },
  )
  await index("reviews_issue", "reviews", ["issue_id", "created_at", "id"])
  await index("reviews_reviewer", "reviews", ["reviewer_id", "issue_id"])
  await index("reviews_team", "reviews", ["reviewer_team_id"])
  await table(
    "review_comments",
    {
      comment_id: "reference",
      review_id: "reference",
      path: "text",
      line: "integer",
      hunk: "text",
      commit_id: "text",
      is_outdated: "flag",
    },
    { comment_id: "comments", review_id: "reviews" },
    ["comment_id"],
  )
  await index("review_comments_review", "review_comments", ["review_id"])
  await index("comments_review", "comments", ["review_id"])
}
