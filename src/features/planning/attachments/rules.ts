import type { Comment } from "../../../access/policies/comments.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"
import { lockRelease } from "../../code/releases/lock.ts"
import type { Release } from "../../code/releases/store.ts"
import { touchComment } from "../comments/touch.ts"
import { lockIssue } from "../issues/lock.ts"
import { discardFile, removeFilesJob, storeFile } from "./files.ts"
import { type FileLimits, requireName } from "./names.ts"
import type { AttachmentRow } from "./present.ts"
import { findAttachment, findReleaseAttachment, insertAttachment } from "./store.ts"

/** What files hang on: an issue's body, one of its comments, or a release. */
export type AttachmentHome =
  | { readonly issue: Pick<Issue, "id" | "repository_id" | "is_pull">; readonly comment?: Pick<Comment, "id"> }
  | { readonly release: Pick<Release, "id" | "repository_id"> }

/** The columns that say where a file hangs. */
function placeOf(home: AttachmentHome) {
  if ("release" in home)
    return { repositoryId: home.release.repository_id, issueId: null, commentId: 0, releaseId: home.release.id } as const
  return { repositoryId: home.issue.repository_id, issueId: home.issue.id, commentId: home.comment?.id ?? 0, releaseId: null } as const
}

/** What may be attached: with an issue what people show each other, with a release what is made for others to download. */
function limitsOf({ config }: Services, home: AttachmentHome): FileLimits {
  const { releases, attachments } = config
  return "release" in home
    ? { types: releases.assetTypes, maxBytes: releases.maxAssetBytes }
    : { types: attachments.types, maxBytes: attachments.maxBytes }
}

/** The attachment of that id, if it hangs there; otherwise refuses `notFound`. */
export async function locateAttachment({ database }: Services, home: AttachmentHome, id: number): Promise<AttachmentRow> {
  const { issueId, commentId, releaseId } = placeOf(home)
  const found =
    issueId === null
      ? await findReleaseAttachment.first(database.read, { id, releaseId })
      : await findAttachment.first(database.read, { id, issueId, commentId })
  if (!found) throw refuse.notFound()
  return found
}

/**
 * Takes a file in and attaches it: first the bytes, then the row, in one transaction with the new version of the text that it hangs on.
 * Refuses `invalid` for a name that isn't accepted and `tooLarge` a file past the limit, before the rest of it has arrived.
 */
export async function attach(
  services: Services,
  home: AttachmentHome,
  uploader: User,
  upload: Upload,
  name: string,
): Promise<AttachmentRow> {
  const { database, now } = services
  const { types, maxBytes } = limitsOf(services, home)
  const fitting = requireName(types, name === "" ? "attachment" : "name", name || upload.fileName)
  const file = await storeFile(services, upload.content, maxBytes)
  const write = () =>
    database.write(async (tx) => {
      await touchHome(tx, home, now())
      const [row] = await insertAttachment(tx, {
        uuid: file.uuid,
        ...placeOf(home),
        uploaderId: uploader.id,
        name: fitting,
        size: file.size,
        now: now(),
      })
      if (!row) throw new TypeError("an insert gives its row")
      // A file of an issue is part of its text.
      if (!("release" in home) && !home.comment)
        publish(tx, { kind: "issue.edited", issue: home.issue, actor: uploader, changes: {}, at: now() })
      return row
    })
  return writeRow(write, () => discardFile(services, file))
}

/** What hangs on a text belongs to it: whoever edits an older version of the text is refused. Refuses `notFound` where it is gone. */
async function touchHome(tx: Transaction, home: AttachmentHome, now: number): Promise<void> {
  if ("release" in home) return lockRelease(tx, home.release.id)
  const { issue, comment } = home
  await lockIssue(tx, issue.id)
  if (comment) return touchComment(tx, comment.id, now)
  await tx
    .updateTable("issues")
    .set((eb) => ({ content_version: eb("content_version", "+", 1), updated_at: now }))
    .where("id", "=", issue.id)
    .execute()
}

/** Gives an attachment another name; an empty one changes nothing. Refuses like `attach`, and `notFound` where it is gone. */
export async function renameAttachment(
  services: Services,
  home: AttachmentHome,
  attachment: AttachmentRow,
  name: string,
): Promise<AttachmentRow> {
  if (name === "" || name === attachment.name) return attachment
  const fitting = requireName(limitsOf(services, home).types, "name", name)
  return services.database.write(async (tx) => {
    const row = await tx.updateTable("attachments").set({ name: fitting }).where("id", "=", attachment.id).returningAll().executeTakeFirst()
    if (!row) throw refuse.notFound()
    return row
  })
}

/** Everything that hangs on: one attachment, one text, an issue with its comments, a release, or a whole repository. */
export type AttachmentsOf =
  | { readonly id: number }
  | { readonly release_id: number }
  | { readonly issue_id: number; readonly comment_id: number }
  | { readonly issue_id: number }
  | { readonly repository_id: number }

/** Deletes attachments. Their files go once the transaction is committed. To be called before what they hang on is deleted. */
export async function deleteAttachments(tx: Transaction, { jobs }: Pick<Services, "jobs">, of: AttachmentsOf): Promise<void> {
  let rows = tx.deleteFrom("attachments").returning("uuid")
  if ("id" in of) rows = rows.where("id", "=", of.id)
  else if ("release_id" in of) rows = rows.where("release_id", "=", of.release_id)
  else if ("repository_id" in of) rows = rows.where("repository_id", "=", of.repository_id)
  else {
    rows = rows.where("issue_id", "=", of.issue_id)
    if ("comment_id" in of) rows = rows.where("comment_id", "=", of.comment_id)
  }
  const uuids = (await rows.execute()).map(({ uuid }) => uuid)
  for (let at = 0; at < uuids.length; at += FILES_OF_A_JOB)
    await jobs.enqueue(tx, removeFilesJob, { uuids: uuids.slice(at, at + FILES_OF_A_JOB) })
}

const FILES_OF_A_JOB = 500
