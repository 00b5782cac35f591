import type { Selectable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { TextVersionsTable } from "../../../core/database/tables/texts.ts"

export type Version = Selectable<TextVersionsTable>

/** A text that people edit: the opening text of an issue (comment null), or one of its comments. */
export interface Edited {
  readonly issueId: number
  readonly commentId: number | null
}

/** The versions of a text, newest first; none where it was never edited. The first is the text as it is now, and has no content here. */
export const findVersions = query("edits.findVersions", (db, p: Params<Edited>) =>
  db
    .selectFrom("text_versions")
    .selectAll()
    .where("issue_id", "=", p.issueId)
    .where("comment_id", "is not distinct from", p.commentId)
    .orderBy("number", "desc"),
)

/** The same with their sizes, in characters, in place of their contents. */
export const findSizes = query("edits.findSizes", (db, p: Params<Edited>) =>
  db
    .selectFrom("text_versions")
    .select(["id", "number", (eb) => eb.fn<number>("length", ["content"]).as("size")])
    .where("issue_id", "=", p.issueId)
    .where("comment_id", "is not distinct from", p.commentId)
    .orderBy("number", "desc"),
)

/** Which texts of an issue were edited: the ids of their comments, null for the opening text. */
export const findEdited = query("edits.findEdited", (db, p: Params<{ issueId: number }>) =>
  db.selectFrom("text_versions").select("comment_id").distinct().where("issue_id", "=", p.issueId),
)

type NewVersion = Edited & {
  readonly number: number
  readonly content: string
  readonly authorId: number
  readonly writtenAt: number
}

export const insertVersion = query("edits.insert", (db, p: Params<NewVersion>) =>
  db.insertInto("text_versions").values({
    issue_id: p.issueId,
    comment_id: p.commentId,
    number: p.number,
    content: p.content,
    author_id: p.authorId,
    written_at: p.writtenAt,
  }),
)

/** What was the text until now becomes the content of its version. */
export const fillVersion = query("edits.fill", (db, p: Params<{ id: number; content: string }>) =>
  db.updateTable("text_versions").set({ content: p.content }).where("id", "=", p.id),
)

/** Takes the content of a version away. */
export const emptyVersion = query("edits.empty", (db, p: Params<{ id: number; deletedBy: number; now: number }>) =>
  db
    .updateTable("text_versions")
    .set({ content: "", deleted_by: p.deletedBy, deleted_at: p.now })
    .where("id", "=", p.id)
    .where("deleted_at", "=", 0),
)

export async function deleteVersions(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom("text_versions").where(inList("text_versions.id", ids)).execute()
}
