import type { User } from "../../../core/actor.ts"
import type { Config } from "../../../core/config.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"
import { discardFile, removeFilesJob, storeFile } from "./files.ts"
import { type FileLimits, requireName } from "./names.ts"
import type { AttachmentRow } from "./present.ts"
import { findAttachment, findReleaseAttachment, insertAttachment } from "./store.ts"

/** What files hang on: a text of an issue, or a release. */
export interface AttachmentHome {
  /** The columns that say where a file hangs. */
  readonly place:
    | { readonly repositoryId: number; readonly issueId: number; readonly commentId: number; readonly releaseId: null }
    | { readonly repositoryId: number; readonly issueId: null; readonly commentId: 0; readonly releaseId: number }
  /** What may be attached there. */
  readonly limits: (config: Config) => FileLimits
  /** Locks it, and writes down that it has another file. Refuses `notFound` where it is gone. */
  readonly touch: (tx: Transaction, uploader: User, now: Seconds) => Promise<void>
}

/** The attachment of that id, if it hangs there; otherwise refuses `notFound`. */
export async function locateAttachment({ database }: Services, home: AttachmentHome, id: number): Promise<AttachmentRow> {
  const { issueId, commentId, releaseId } = home.place
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
  const { types, maxBytes } = home.limits(services.config)
  const fitting = requireName(types, name === "" ? "attachment" : "name", name || upload.fileName)
  const file = await storeFile(services, upload.content, maxBytes)
  const write = () =>
    database.write(async (tx) => {
      await home.touch(tx, uploader, now())
      const [row] = await insertAttachment(tx, {
        uuid: file.uuid,
        ...home.place,
        uploaderId: uploader.id,
        name: fitting,
        size: file.size,
        now: now(),
      })
      if (!row) throw new TypeError("an insert gives its row")
      return row
    })
  return writeRow(write, () => discardFile(services, file))
}

/** Gives an attachment another name; an empty one changes nothing. Refuses like `attach`, and `notFound` where it is gone. */
export async function renameAttachment(
  services: Services,
  home: AttachmentHome,
  attachment: AttachmentRow,
  name: string,
): Promise<AttachmentRow> {
  if (name === "" || name === attachment.name) return attachment
  const fitting = requireName(home.limits(services.config).types, "name", name)
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
