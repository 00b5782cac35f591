import type { User } from "../../../core/actor.ts"
import type { Config } from "../../../core/config.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { writeRow } from "../../../core/files.ts"
import type { Access } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"
import { discardFile, removeFilesJob, storeFile } from "./files.ts"
import { type FileLimits, requireName } from "./names.ts"
import type { AttachmentRow } from "./present.ts"
import {
  type AttachmentsOf,
  deleteRows,
  findAttachment,
  findAttachmentById,
  findReleaseAttachment,
  insertAttachment,
  putName,
} from "./store.ts"

/** Refuses `notFound` if attachments are switched off. */
export const ifEnabled = <Found>({ rule, open }: Access<Found>): Access<Found> => ({
  rule,
  open: (request) => {
    if (!request.services.config.attachments.enabled) throw refuse.notFound()
    return open(request)
  },
})

/** What files are attached to: an issue, a comment or a release. */
export interface AttachmentParent {
  /** The columns that identify the parent. */
  readonly place:
    | { readonly repositoryId: number; readonly issueId: number; readonly commentId: number; readonly releaseId: null }
    | { readonly repositoryId: number; readonly issueId: null; readonly commentId: 0; readonly releaseId: number }
  /** Which files may be attached to it. */
  readonly limits: (config: Config) => FileLimits
  /** Locks the parent and records that its files changed. Refuses `notFound` if it is gone. */
  readonly touch: (tx: Transaction, uploader: User, now: Seconds) => Promise<void>
}

/** The attachment with that id. Refuses `notFound` if it doesn't belong to this parent. */
export async function locateAttachment({ database }: Services, parent: AttachmentParent, id: number): Promise<AttachmentRow> {
  const { issueId, commentId, releaseId } = parent.place
  const found =
    issueId === null
      ? await findReleaseAttachment.first(database.read, { id, releaseId })
      : await findAttachment.first(database.read, { id, issueId, commentId })
  if (!found) throw refuse.notFound()
  return found
}

/**
 * Stores a file and attaches it: first the bytes, then the row, in one transaction with the new version of its parent.
 * Refuses `invalid` for a name that isn't accepted and `tooLarge` for a file over the limit, before the rest of it has arrived.
 */
export async function attach(
  services: Services,
  parent: AttachmentParent,
  uploader: User,
  upload: Upload,
  name: string,
): Promise<AttachmentRow> {
  const { database, now } = services
  const { types, maxBytes } = parent.limits(services.config)
  const fitting = requireName(types, name === "" ? "attachment" : "name", name || upload.fileName)
  const file = await storeFile(services, upload.content, maxBytes)
  const write = () =>
    database.write(async (tx) => {
      await parent.touch(tx, uploader, now())
      const [row] = await insertAttachment(tx, {
        uuid: file.uuid,
        ...parent.place,
        uploaderId: uploader.id,
        name: fitting,
        size: file.size,
        now: now(),
      })
      if (!row) throw new TypeError("an insert gives its row")
      publish(tx, { kind: "attachment.added", attachment: row, actor: uploader, ...subjectIn(parent) })
      return row
    })
  return writeRow(write, () => discardFile(services, file))
}

/** Renames an attachment; an empty name changes nothing. Refuses like `attach`, and `notFound` if it is gone. */
export async function renameAttachment(
  services: Services,
  parent: AttachmentParent,
  actor: User,
  attachment: AttachmentRow,
  name: string,
): Promise<AttachmentRow> {
  if (name === "" || name === attachment.name) return attachment
  const fitting = requireName(parent.limits(services.config).types, "name", name)
  return services.database.write(async (tx) => {
    const { id } = attachment
    const renamed = await putName(tx, id, fitting)
    if (renamed) publish(tx, { kind: "attachment.renamed", attachment: renamed, actor, ...subjectIn(parent) })
    // Not renamed: it has the name by now, or it is gone.
    const row = renamed ?? (await findAttachmentById(tx, id))
    if (!row) throw refuse.notFound()
    return row
  })
}

/** Deletes an attachment. Refuses `notFound` if it doesn't belong to this parent. */
export async function removeAttachment(services: Services, parent: AttachmentParent, actor: User, id: number): Promise<void> {
  await locateAttachment(services, parent, id)
  await services.database.write(async (tx) => {
    const deleted = await deleteAttachments(tx, services, { id })
    if (deleted > 0) publish(tx, { kind: "attachment.deleted", attachment: { id }, actor, ...subjectIn(parent) })
  })
}

/** The parent, in events. */
const subjectIn = ({ place: { repositoryId, issueId, commentId, releaseId } }: AttachmentParent) =>
  issueId === null ? { repositoryId, releaseId } : { issue: { id: issueId, repository_id: repositoryId }, commentId: commentId || null }

/**
 * Deletes attachments, and returns how many. A job removes their files once the transaction is committed. Must be called before their parent is
 * deleted.
 */
export async function deleteAttachments(tx: Transaction, { jobs }: Pick<Services, "jobs">, of: AttachmentsOf): Promise<number> {
  const uuids = await deleteRows(tx, of)
  for (let at = 0; at < uuids.length; at += FILES_OF_A_JOB)
    await jobs.enqueue(tx, removeFilesJob, { uuids: uuids.slice(at, at + FILES_OF_A_JOB) })
  return uuids.length
}

const FILES_OF_A_JOB = 500
