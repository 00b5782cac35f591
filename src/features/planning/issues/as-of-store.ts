import type { Handle } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { COMMENT_COLUMNS } from "./timeline-store.ts"

/** What changes an issue itself, by the words of its timeline. */
const CHANGES = [
  "change_title",
  "change_target_branch",
  "close",
  "reopen",
  "merge_pull",
  "label",
  "milestone",
  "assignees",
  "added_deadline",
  "modified_deadline",
  "removed_deadline",
  "lock",
  "unlock",
  "review_request",
] as const

/** The most changes and the most comments that are looked at. */
export const MOST_CHANGES = 10_000
export const MOST_COMMENTS = 200

/** The changes of an issue, the oldest first. */
export const findChanges = (db: Handle, issueId: number) =>
  db
    .selectFrom("comments")
    .select([
      "id",
      "kind",
      "content",
      "label_id",
      "old_milestone_id",
      "assignee_id",
      "removed_assignee",
      "old_title",
      "old_ref",
      "created_at",
    ])
    .where("issue_id", "=", issueId)
    .where("kind", "in", [...CHANGES])
    .orderBy("created_at")
    .orderBy("id")
    .limit(MOST_CHANGES)
    .execute()

export type Change = Awaited<ReturnType<typeof findChanges>>[number]

/** What was said until then and is still there, the oldest first. */
export const findSaid = query("issues.findSaidUntil", (db, p: Params<{ issueId: number; at: number; limit: number }>) =>
  db
    .selectFrom("comments")
    .select(COMMENT_COLUMNS)
    .where("issue_id", "=", p.issueId)
    .where("kind", "in", ["comment", "review", "code"])
    .where("created_at", "<=", p.at)
    .where("content", "<>", "")
    .orderBy("created_at")
    .orderBy("id")
    .limit(p.limit),
)

/** When what stands at a position of the log of events happened; undefined where the log no longer has it. */
export const findEventTime = query("issues.findEventTime", (db, p: Params<{ id: number }>) =>
  db.selectFrom("events").select("created_at").where("id", "=", p.id),
)

/** The versions of the texts of an issue (null for the opening text), without their contents. */
export const findVersionTimes = query("issues.findVersionTimes", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("text_versions")
    .select(["id", "comment_id", "number", "written_at", "deleted_at"])
    .where("issue_id", "=", p.issueId)
    .orderBy("number"),
)

export const findContents = query("issues.findVersionContents", (db, p: Params<{ ids: readonly number[] }>) =>
  db.selectFrom("text_versions").select(["id", "content"]).where("id", "in", p.ids),
)
