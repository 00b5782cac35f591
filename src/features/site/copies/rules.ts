import type { PartRule } from "../../../core/database/portable/part.ts"

/**
 * What belongs to a repository, in an order in which rows come after those that they lead to. Left out are what others did with it and what is sealed for its old place: feeds, notifications, events,
 * workflow runs with their artifacts, webhooks, deploy keys, mirrors, secrets, and who may reach it through teams.
 */
export const REPOSITORY_RULES: readonly PartRule[] = [
  { table: "branches", by: ["repository_id", "repositories"], people: ["pusher_id"] },
  { table: "branch_redirects", by: ["repository_id", "repositories"] },
  { table: "tags", by: ["repository_id", "repositories"] },
  { table: "releases", by: ["repository_id", "repositories"], people: ["publisher_id"] },
  { table: "repository_languages", by: ["repository_id", "repositories"] },
  { table: "commit_statuses", by: ["repository_id", "repositories"], people: ["creator_id"] },
  { table: "wikis", by: ["repository_id", "repositories"] },
  { table: "collaborations", by: ["repository_id", "repositories"] },
  { table: "stars", by: ["repository_id", "repositories"] },
  { table: "watches", by: ["repository_id", "repositories"] },
  { table: "branch_protections", by: ["repository_id", "repositories"] },
  { table: "branch_protection_lists", by: ["protection_id", "branch_protections"], needs: ["user_id", "team_id"] },
  { table: "tag_protections", by: ["repository_id", "repositories"] },
  { table: "tag_protection_lists", by: ["protection_id", "tag_protections"], needs: ["user_id", "team_id"] },
  { table: "action_variables", by: ["repository_id", "repositories"] },
  { table: "labels", by: ["repository_id", "repositories"] },
  { table: "milestones", by: ["repository_id", "repositories"] },
  { table: "issue_counters", by: ["repository_id", "repositories"] },
  { table: "issues", by: ["repository_id", "repositories"], people: ["author_id"] },
  { table: "issue_assignees", by: ["issue_id", "issues"] },
  { table: "issue_labels", by: ["issue_id", "issues"] },
  { table: "issue_mentions", by: ["issue_id", "issues"] },
  { table: "issue_watches", by: ["issue_id", "issues"] },
  { table: "issue_dependencies", by: ["issue_id", "issues"], people: ["user_id"] },
  { table: "tracked_times", by: ["issue_id", "issues"], people: ["user_id"] },
  { table: "projects", by: ["repository_id", "repositories"], people: ["creator_id"] },
  { table: "project_columns", by: ["project_id", "projects"], people: ["creator_id"] },
  { table: "project_cards", by: ["project_id", "projects"], refs: { repository_id: "repositories" } },
  { table: "pulls", by: ["repository_id", "repositories"], people: ["merged_by_id"], fixed: { merge_entry: 0 } },
  { table: "reviews", by: ["issue_id", "issues"], people: ["reviewer_id"], needs: ["reviewer_team_id"] },
  {
    table: "comments",
    by: ["issue_id", "issues"],
    people: ["author_id"],
    refs: { project_id: "projects", old_project_id: "projects", review_id: "reviews" },
    // An entry about another repository says nothing without it.
    needs: ["label_id", "assignee_team_id", "ref_repository_id", "ref_issue_id", "dependent_issue_id"],
  },
  { table: "review_comments", by: ["comment_id", "comments"] },
  { table: "text_versions", by: ["issue_id", "issues"], people: ["author_id", "deleted_by"] },
  { table: "reactions", by: ["issue_id", "issues"], refs: { comment_id: "comments" } },
  {
    table: "attachments",
    by: ["repository_id", "repositories"],
    people: ["uploader_id"],
    refs: { comment_id: "comments", release_id: "releases" },
  },
]

/** Columns with texts that may name an attached file. */
export const TEXTS: Readonly<Record<string, string>> = {
  issues: "content",
  comments: "content",
  releases: "note",
  text_versions: "content",
}

/** Tables with a column for the name of an author who has no account there. */
export const NAMED_AUTHORS: ReadonlySet<string> = new Set(["issues", "comments"])
