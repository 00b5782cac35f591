import { sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"
import type { CloseReason } from "../../../core/database/tables/issues.ts"
import type { Flag } from "../../../core/database/tables.ts"

type Ids = Params<{ ids: readonly number[] }>

// --- what belongs to an issue ----------------------------------------------------------------------------------------------------

export const findIssuesByIds = query("issues.findByIds", (db, p: Ids) => db.selectFrom("issues").selectAll().where("id", "in", p.ids))

export const findIssueById = query("issues.findById", (db, p: Params<{ id: number }>) =>
  db.selectFrom("issues").selectAll().where("id", "=", p.id),
)

/** The assignees of these issues in the order of their assignment. */
export const findAssignees = query("issues.findAssignees", (db, p: Ids) =>
  db
    .selectFrom("issue_assignees")
    .innerJoin("users", "users.id", "issue_assignees.user_id")
    .selectAll("users")
    .select("issue_assignees.issue_id")
    .where("issue_assignees.issue_id", "in", p.ids)
    .orderBy("issue_assignees.id"),
)

/** The attachments of the bodies of these issues. */
export const findAttachmentsOf = query("issues.findAttachments", (db, p: Ids) =>
  db.selectFrom("attachments").selectAll().where("issue_id", "in", p.ids).where("comment_id", "=", 0).orderBy("id"),
)

// --- creating --------------------------------------------------------------------------------------------------------------------

/**
 * The next number of a repository. The row is locked until the transaction ends: other transactions that create an issue there wait, and a
 * rollback frees the number.
 */
export const takeNumber = query("issues.takeNumber", (db, p: Params<{ repositoryId: number }>) =>
  db
    .insertInto("issue_counters")
    .values({ repository_id: p.repositoryId, last_number: 1 })
    .onConflict((conflict) => conflict.column("repository_id").doUpdateSet({ last_number: sql<number>`issue_counters.last_number + 1` }))
    .returning("last_number"),
)

export const insertIssue = query(
  "issues.insert",
  (
    db,
    p: Params<{
      repositoryId: number
      number: number
      isPull: Flag
      authorId: number
      title: string
      content: string
      ref: string
      dueAt: number
      now: number
    }>,
  ) =>
    db
      .insertInto("issues")
      .values({
        repository_id: p.repositoryId,
        number: p.number,
        is_pull: p.isPull,
        author_id: p.authorId,
        title: p.title,
        content: p.content,
        ref: p.ref,
        due_at: p.dueAt,
        created_at: p.now,
        updated_at: p.now,
      })
      .returningAll(),
)

export const insertTimelineEntry = query(
  "issues.insertTimelineEntry",
  (
    db,
    p: Params<{
      issue_id: number
      kind: string
      author_id: number
      content: string
      content_version: number
      label_id: number | null
      milestone_id: number | null
      old_milestone_id: number | null
      project_id: number | null
      old_project_id: number | null
      assignee_id: number | null
      assignee_team_id: number | null
      removed_assignee: Flag
      old_title: string
      new_title: string
      old_ref: string
      new_ref: string
      ref_repository_id: number | null
      ref_issue_id: number | null
      ref_comment_id: number | null
      ref_action: string
      commit_id: string
      dependent_issue_id: number | null
      tracked_time_id: number | null
      review_id: number | null
      resolver_id: number | null
      close_reason: CloseReason
      duplicate_of_id: number | null
      now: number
    }>,
  ) =>
    db
      .insertInto("comments")
      .values({
        issue_id: p.issue_id,
        kind: p.kind,
        author_id: p.author_id,
        content: p.content,
        content_version: p.content_version,
        label_id: p.label_id,
        milestone_id: p.milestone_id,
        old_milestone_id: p.old_milestone_id,
        project_id: p.project_id,
        old_project_id: p.old_project_id,
        assignee_id: p.assignee_id,
        assignee_team_id: p.assignee_team_id,
        removed_assignee: p.removed_assignee,
        old_title: p.old_title,
        new_title: p.new_title,
        old_ref: p.old_ref,
        new_ref: p.new_ref,
        ref_repository_id: p.ref_repository_id,
        ref_issue_id: p.ref_issue_id,
        ref_comment_id: p.ref_comment_id,
        ref_action: p.ref_action,
        commit_id: p.commit_id,
        dependent_issue_id: p.dependent_issue_id,
        tracked_time_id: p.tracked_time_id,
        review_id: p.review_id,
        resolver_id: p.resolver_id,
        close_reason: p.close_reason,
        duplicate_of_id: p.duplicate_of_id,
        created_at: p.now,
        updated_at: p.now,
      })
      .returningAll(),
)

export const findTeamNamed = query("issues.findTeamNamed", (db, p: Params<{ organizationId: number; lowerName: string }>) =>
  db.selectFrom("teams").selectAll().where("organization_id", "=", p.organizationId).where("lower_name", "=", p.lowerName),
)

/** The merge times of those of the issues that are merged pull requests. */
export const findMerges = query("pulls.findMerges", (db, p: Params<{ issueIds: readonly number[] }>) =>
  db.selectFrom("pulls").select(["issue_id", "merged_at"]).where("issue_id", "in", p.issueIds).where("is_merged", "=", 1),
)
