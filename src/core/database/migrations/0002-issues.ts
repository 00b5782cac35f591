import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"
import { keepTotals } from "./totals.ts"

/** Issues with everything around them, tracked time and notifications. */
export const issues = { id: 2, name: "issues", up }

/** Author ids have no foreign key: texts outlive the account. */
async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table("issue_counters", { repository_id: "reference", last_number: "integer" }, { repository_id: "repositories" }, [
    "repository_id",
  ])

  await table(
    "milestones",
    {
      id: "id",
      repository_id: "reference",
      title: "text",
      description: "text",
      is_closed: "flag",
      closed_at: "time",
      due_at: "time",
      open_issues_count: "integer",
      closed_issues_count: "integer",
      created_at: "time",
      updated_at: "time",
    },
    { repository_id: "repositories" },
  )
  await index("milestones_repository", "milestones", ["repository_id", "is_closed", "due_at"])

  await table(
    "issues",
    {
      id: "id",
      repository_id: "reference",
      number: "integer",
      is_pull: "flag",
      author_id: "integer",
      title: "text",
      content: "text",
      content_version: "integer",
      ref: "text",
      milestone_id: "reference?",
      is_closed: "flag",
      closed_at: "time",
      is_locked: "flag",
      pin_order: "integer",
      due_at: "time",
      time_estimate: "integer",
      comments_count: "integer",
      created_at: "time",
      updated_at: "time",
    },
    { repository_id: "repositories", milestone_id: "milestones" },
  )
  await index("issues_number", "issues", ["repository_id", "number"], true)
  // Numbers follow the order of creation: a page of the newest is read from the end of an index, for one kind and for both.
  await index("issues_list", "issues", ["repository_id", "is_closed", "number"])
  await index("issues_kind", "issues", ["repository_id", "is_pull", "is_closed", "number"])
  await index("issues_author", "issues", ["author_id", "created_at"])
  await index("issues_milestone", "issues", ["milestone_id"])
  await index("issues_created", "issues", ["created_at", "id"])

  await table("issue_assignees", { id: "id", issue_id: "reference", user_id: "reference" }, { issue_id: "issues", user_id: "users" })
  await index("issue_assignees_pair", "issue_assignees", ["issue_id", "user_id"], true)
  await index("issue_assignees_user", "issue_assignees", ["user_id", "issue_id"])
  await table("issue_labels", { issue_id: "reference", label_id: "reference" }, { issue_id: "issues", label_id: "labels" }, [
    "issue_id",
    "label_id",
  ])
  await index("issue_labels_label", "issue_labels", ["label_id", "issue_id"])
  await table("issue_mentions", { issue_id: "reference", user_id: "reference" }, { issue_id: "issues", user_id: "users" }, [
    "issue_id",
    "user_id",
  ])
  await index("issue_mentions_user", "issue_mentions", ["user_id", "issue_id"])
  await table(
    "issue_watches",
    { issue_id: "reference", user_id: "reference", is_watching: "flag", updated_at: "time" },
    { issue_id: "issues", user_id: "users" },
    ["issue_id", "user_id"],
  )
  await index("issue_watches_user", "issue_watches", ["user_id", "issue_id"])
  await table(
    "issue_dependencies",
    { issue_id: "reference", dependency_id: "reference", user_id: "integer", created_at: "time" },
    { issue_id: "issues", dependency_id: "issues" },
    ["issue_id", "dependency_id"],
  )
  await index("issue_dependencies_dependency", "issue_dependencies", ["dependency_id", "issue_id"])

  await table(
    "tracked_times",
    { id: "id", issue_id: "reference", user_id: "integer", seconds: "integer", is_deleted: "flag", created_at: "time" },
    { issue_id: "issues" },
  )
  await index("tracked_times_issue", "tracked_times", ["issue_id", "created_at"])
  await index("tracked_times_user", "tracked_times", ["user_id", "created_at"])
  await table(
    "stopwatches",
    { user_id: "reference", issue_id: "reference", created_at: "time" },
    { user_id: "users", issue_id: "issues" },
    ["user_id", "issue_id"],
  )
  await index("stopwatches_issue", "stopwatches", ["issue_id"])

  await table(
    "comments",
    {
      id: "id",
      issue_id: "reference",
      kind: "text",
      author_id: "integer",
      content: "text",
      content_version: "integer",
      label_id: "owned?",
      milestone_id: "reference?",
      old_milestone_id: "reference?",
      project_id: "reference?",
      old_project_id: "reference?",
      assignee_id: "reference?",
      assignee_team_id: "reference?",
      removed_assignee: "flag",
      old_title: "text",
      new_title: "text",
      old_ref: "text",
      new_ref: "text",
      ref_repository_id: "owned?",
      ref_issue_id: "owned?",
      ref_comment_id: "owned?",
      ref_action: ["text", "none"],
      commit_id: "text",
      dependent_issue_id: "owned?",
      tracked_time_id: "reference?",
      review_id: "reference?",
      resolver_id: "reference?",
      created_at: "time",
      updated_at: "time",
    },
    {
      issue_id: "issues",
      label_id: "labels",
      milestone_id: "milestones",
      old_milestone_id: "milestones",
      assignee_id: "users",
      assignee_team_id: "teams",
      ref_repository_id: "repositories",
      ref_issue_id: "issues",
      ref_comment_id: "comments",
      dependent_issue_id: "issues",
      tracked_time_id: "tracked_times",
      resolver_id: "users",
    },
  )
  await index("comments_issue", "comments", ["issue_id", "kind", "created_at", "id", "author_id"])
  await index("comments_timeline", "comments", ["issue_id", "created_at", "id"])
  await index("comments_reference", "comments", ["ref_issue_id"])
  await index("comments_reference_comment", "comments", ["ref_comment_id"])
  await index("comments_label", "comments", ["label_id"])
  await index("comments_author", "comments", ["author_id"])
  // Columns that are set in few entries; without these indexes, deleting what they refer to would scan all comments.
  const rarely = ["milestone_id", "old_milestone_id", "dependent_issue_id", "ref_repository_id", "tracked_time_id"]
  for (const column of [...rarely, "assignee_id", "assignee_team_id", "resolver_id"])
    await sql`create index ${sql.ref(`comments_${column}`)} on comments (${sql.ref(column)}) where ${sql.ref(column)} is not null`.execute(
      db,
    )

  await table(
    "reactions",
    { id: "id", issue_id: "reference", comment_id: "integer", user_id: "reference", content: "text", created_at: "time" },
    { issue_id: "issues", user_id: "users" },
  )
  await index("reactions_once", "reactions", ["issue_id", "comment_id", "user_id", "content"], true)
  await index("reactions_user", "reactions", ["user_id"])

  await table(
    "attachments",
    {
      id: "id",
      uuid: "text",
      repository_id: "reference",
      issue_id: "reference?",
      comment_id: "integer",
      release_id: "reference?",
      uploader_id: "integer",
      name: "text",
      size: "integer",
      download_count: "integer",
      created_at: "time",
    },
    { repository_id: "repositories", issue_id: "issues" },
  )
  await index("attachments_uuid", "attachments", ["uuid"], true)
  await index("attachments_issue", "attachments", ["issue_id", "comment_id"])
  await index("attachments_repository", "attachments", ["repository_id"])

  await table(
    "notifications",
    {
      id: "id",
      user_id: "reference",
      repository_id: "reference",
      subject: "text",
      issue_id: "owned?",
      status: "text",
      created_at: "time",
      updated_at: "time",
    },
    { user_id: "users", repository_id: "repositories", issue_id: "issues" },
  )
  await index("notifications_issue", "notifications", ["issue_id", "user_id"], true)
  // With the repository as its last column the index alone shows what a person can still see.
  await index("notifications_list", "notifications", ["user_id", "status", "subject", "updated_at", "id", "repository_id"])
  await index("notifications_repository", "notifications", ["repository_id", "user_id", "status", "subject", "updated_at", "id"])
  const notificationKey = ["user_id", "repository_id", "subject", "status"]
  await table(
    "notification_totals",
    { user_id: "reference", repository_id: "reference", subject: "text", status: "text", total: "integer" },
    { user_id: "users", repository_id: "repositories" },
    notificationKey,
  )
  await index("notification_totals_repository", "notification_totals", ["repository_id"])
  await keepTotals(db, types, { table: "notifications", totals: "notification_totals", key: notificationKey })

  await db.schema
    .alterTable("activities")
    .addColumn("unit", types.text, (column) => column.notNull().defaultTo(""))
    .execute()
  await sql`create index activities_comment on activities (comment_id) where comment_id <> 0`.execute(db)
  // Where each event is shown once, the actor's own row represents it.
  await sql`create index activities_performed on activities (receiver_id, created_at, id) where receiver_id = actor_id`.execute(db)
  await sql`create index activities_original on activities (repository_id, created_at, id) where receiver_id = actor_id`.execute(db)
  const activityKey = ["receiver_id", "repository_id", "actor_id", "unit", "is_private", "is_hidden"]
  await table(
    "activity_totals",
    {
      receiver_id: "reference",
      repository_id: "reference",
      actor_id: "integer",
      unit: "text",
      is_private: "flag",
      is_hidden: "flag",
      total: "integer",
    },
    { receiver_id: "users", repository_id: "repositories" },
    activityKey,
  )
  await sql`create index activity_totals_original on activity_totals (repository_id) where receiver_id = actor_id`.execute(db)
  await index("activity_totals_repository", "activity_totals", ["repository_id"])
  await sql`insert into activity_totals (receiver_id, repository_id, actor_id, unit, is_private, is_hidden, total)
    select receiver_id, repository_id, actor_id, unit, is_private, is_hidden, count(*) from activities
    group by receiver_id, repository_id, actor_id, unit, is_private, is_hidden`.execute(db)
  await keepTotals(db, types, { table: "activities", totals: "activity_totals", key: activityKey })
}
