import { sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { containsLower } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { AttachmentRow } from "./present.ts"

type Of = Params<{ issueId: number; commentId: number }>

/** The attachments of an issue's body (comment 0) or of one of its comments, oldest first. */
export const findAttachments = query("attachments.find", (db, p: Of) =>
  db.selectFrom("attachments").selectAll().where("issue_id", "=", p.issueId).where("comment_id", "=", p.commentId).orderBy("id"),
)

/** The attachments of these comments. */
export const findAttachmentsOfComments = query(
  "attachments.findOfComments",
  (db, p: Params<{ issueIds: readonly number[]; commentIds: readonly number[] }>) =>
    db.selectFrom("attachments").selectAll().where("issue_id", "in", p.issueIds).where("comment_id", "in", p.commentIds).orderBy("id"),
)

export const findAttachment = query("attachments.findOne", (db, p: Of & Params<{ id: number }>) =>
  db.selectFrom("attachments").selectAll().where("id", "=", p.id).where("issue_id", "=", p.issueId).where("comment_id", "=", p.commentId),
)

/** The attachments of these releases, oldest first. */
export const findAttachmentsOfReleases = query("attachments.findOfReleases", (db, p: Params<{ releaseIds: readonly number[] }>) =>
  db.selectFrom("attachments").selectAll().where("release_id", "in", p.releaseIds).orderBy("id"),
)

export const findReleaseAttachment = query("attachments.findOneOfRelease", (db, p: Params<{ id: number; releaseId: number }>) =>
  db.selectFrom("attachments").selectAll().where("id", "=", p.id).where("release_id", "=", p.releaseId),
)

export const findAttachmentByUuid = query("attachments.findByUuid", (db, p: Params<{ uuid: string }>) =>
  db.selectFrom("attachments").selectAll().where("uuid", "=", p.uuid),
)

export const findKeptUuids = query("attachments.findKept", (db, p: Params<{ uuids: readonly string[] }>) =>
  db
    .selectFrom("attachments")
    .select("uuid")
    .where("uuid", "in", p.uuids)
    // Those of what was deleted and can be restored.
    .union(db.selectFrom("kept_files").select("uuid").where("uuid", "in", p.uuids)),
)

export const insertAttachment = query(
  "attachments.insert",
  (
    db,
    p: Params<{
      uuid: string
      repositoryId: number
      issueId: number | null
      commentId: number
      releaseId: number | null
      uploaderId: number
      name: string
      size: number
      now: number
    }>,
  ) =>
    db
      .insertInto("attachments")
      .values({
        uuid: p.uuid,
        repository_id: p.repositoryId,
        issue_id: p.issueId,
        comment_id: p.commentId,
        release_id: p.releaseId,
        uploader_id: p.uploaderId,
        name: p.name,
        size: p.size,
        created_at: p.now,
      })
      .returningAll(),
)

export const countDownload = query("attachments.countDownload", (db, p: Params<{ id: number }>) =>
  db
    .updateTable("attachments")
    .set((eb) => ({ download_count: eb("download_count", "+", 1) }))
    .where("id", "=", p.id),
)

/** How many unbound files a person has, and their bytes. */
export const sumUnbound = query("attachments.sumUnbound", (db, p: Params<{ uploaderId: number }>) =>
  db
    .selectFrom("attachments")
    .select((eb) => [eb.fn.countAll<number>().as("files"), sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as("bytes")])
    .where("uploader_id", "=", p.uploaderId)
    .where("issue_id", "is", null)
    .where("release_id", "is", null),
)

/** Binds those of these files that are the author's and unbound, in the same repository. */
export const bindNamed = query(
  "attachments.bindNamed",
  (db, p: Params<{ repositoryId: number; issueId: number; commentId: number; authorId: number; uuids: readonly string[] }>) =>
    db
      .updateTable("attachments")
      .set({ issue_id: p.issueId, comment_id: p.commentId })
      .where("uuid", "in", p.uuids)
      .where("repository_id", "=", p.repositoryId)
      .where("uploader_id", "=", p.authorId)
      .where("issue_id", "is", null)
      .where("release_id", "is", null)
      .returningAll(),
)

/** Unbound files from before a time, in the order of their ids, without those that a draft of their uploader names. */
export const findForgotten = query("attachments.findForgotten", (db, p: Params<{ before: number; after: number; limit: number }>) =>
  db
    .selectFrom("attachments")
    .select("attachments.id")
    .where("issue_id", "is", null)
    .where("release_id", "is", null)
    .where("created_at", "<", p.before)
    .where("attachments.id", ">", p.after)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("comments")
            .select("comments.id")
            .whereRef("comments.author_id", "=", "attachments.uploader_id")
            .where("comments.kind", "in", ["review_draft", "code_draft"])
            .where((inside) => containsLower(inside.ref("comments.content"), sql<string>`attachments.uuid`)),
        ),
      ),
    )
    .orderBy("attachments.id")
    .limit(p.limit),
)

/** Deletes those that are still unbound. */
export const deleteForgotten = query("attachments.deleteForgotten", (db, p: Params<{ ids: readonly number[] }>) =>
  db.deleteFrom("attachments").where("id", "in", p.ids).where("issue_id", "is", null).where("release_id", "is", null).returning("uuid"),
)

/** The files of a transferred issue. */
export const moveAttachments = (tx: Transaction, { repositoryId, issueId }: { readonly repositoryId: number; readonly issueId: number }) =>
  tx.updateTable("attachments").set({ repository_id: repositoryId }).where("issue_id", "=", issueId).execute()

export const findAttachmentById = (db: Handle, id: number): Promise<AttachmentRow | undefined> =>
  db.selectFrom("attachments").selectAll().where("id", "=", id).executeTakeFirst()

/** Gives an attachment another name; undefined where it has that already, or is gone. */
export const putName = (tx: Transaction, id: number, name: string): Promise<AttachmentRow | undefined> =>
  tx.updateTable("attachments").set({ name }).where("id", "=", id).where("name", "!=", name).returningAll().executeTakeFirst()

/** Deletes the rows of these attachments; returns the names of their files. */
export async function deleteRows(tx: Transaction, of: AttachmentsOf): Promise<readonly string[]> {
  let rows = tx.deleteFrom("attachments").returning("uuid")
  if ("id" in of) rows = rows.where("id", "=", of.id)
  else if ("release_id" in of) rows = rows.where("release_id", "=", of.release_id)
  else if ("repository_id" in of) rows = rows.where("repository_id", "=", of.repository_id)
  else {
    rows = rows.where("issue_id", "=", of.issue_id)
    if ("comment_id" in of) rows = rows.where("comment_id", "=", of.comment_id)
  }
  return (await rows.execute()).map(({ uuid }) => uuid)
}

/** Selects attachments: a single one, those of one text, of an issue with its comments, of a release, or of a whole repository. */
export type AttachmentsOf =
  | { readonly id: number }
  | { readonly release_id: number }
  | { readonly issue_id: number; readonly comment_id: number }
  | { readonly issue_id: number }
  | { readonly repository_id: number }
