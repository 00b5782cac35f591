import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Flag, Tables } from "../../../core/database/tables/index.ts"
import type { CloseReason } from "../../../core/database/tables/issues.ts"

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
      made_with: string
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
        made_with: p.made_with,
        created_at: p.now,
        updated_at: p.now,
      })
      .returningAll(),
)

export const insertTimelineEntries = (tx: Transaction, rows: readonly Insertable<Tables["comments"]>[]) =>
  tx.insertInto("comments").values(rows).returning("id").execute()

export const COLUMNS_BESIDE_TEXT = [
  "comments.id",
  "comments.issue_id",
  "comments.author_id",
  "comments.created_at",
  "comments.updated_at",
  "comments.original_author",
  "comments.original_author_id",
  "comments.made_with",
] as const

/** The columns of a timeline entry that a written text uses. */
export const COMMENT_COLUMNS = [...COLUMNS_BESIDE_TEXT, "comments.content"] as const

export const updateContent = query("comments.updateContent", (db, p: Params<{ id: number; content: string; now: number }>) =>
  db
    .updateTable("comments")
    .set((eb) => ({ content: p.content, content_version: eb("content_version", "+", 1), updated_at: p.now }))
    .where("id", "=", p.id)
    .returning(COMMENT_COLUMNS),
)

/** Brings a text up to what it is on the server that it came from, unless it was edited here. */
export const updateImportedText = (
  tx: Transaction,
  { id, content, updatedAt }: { readonly id: number; readonly content: string; readonly updatedAt: number },
) => tx.updateTable("comments").set({ content, updated_at: updatedAt }).where("id", "=", id).where("content_version", "=", 0).execute()

/** Increments the version of a comment without changing its text. */
export const touchContent = query("comments.touch", (db, p: Params<{ id: number; now: number }>) =>
  db
    .updateTable("comments")
    .set((eb) => ({ content_version: eb("content_version", "+", 1), updated_at: p.now }))
    .where("id", "=", p.id),
)

export const deleteEntry = query("comments.delete", (db, p: Params<{ id: number }>) => db.deleteFrom("comments").where("id", "=", p.id))

/** Makes somebody the author of comments that came from elsewhere, of those that still name another; `of`: these are the ids of the reviews that they stand for. */
export const giveComments = (tx: Transaction, ids: readonly number[], userId: number, of: "comments" | "reviews" = "comments") =>
  tx
    .updateTable("comments")
    .set({ author_id: userId, original_author: "", original_author_id: 0 })
    .where(of === "reviews" ? inList("comments.review_id", ids) : inList("comments.id", ids))
    .$if(of === "reviews", (entries) => entries.where("kind", "=", "review"))
    .where("original_author", "<>", "")
    .execute()

/** Writes a text that came from elsewhere anew, unless it was edited here. */
export const rewriteComment = (tx: Transaction, id: number, content: string) =>
  tx.updateTable("comments").set({ content }).where("id", "=", id).where("content_version", "=", 0).execute()
