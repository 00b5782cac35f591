import { type Params, query } from "../../../core/database/query.ts"

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
  db.selectFrom("attachments").select("uuid").where("uuid", "in", p.uuids),
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
