import { randomUUID } from "node:crypto"
import type { Readable } from "node:stream"
import type { OpenBlob } from "../../../core/blobs/blobs.ts"
import { writeBounded } from "../../../core/blobs/bounded.ts"
import { sweepBlobs } from "../../../core/blobs/sweep.ts"
import { refuse } from "../../../core/errors.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import type { Task } from "../../../core/jobs/schedule.ts"
import { t } from "../../../core/language/message.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findKeptUuids } from "./store.ts"

/** Attachment files, stored by uuid. A row is inserted after its file is written, and deleted before the file is removed. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type WithBlobs = Pick<Services, "blobs">

/** Removes the files of deleted attachments, but for those that are kept to be restored, or are there again. */
export const removeFilesJob = defineJob({
  kind: "attachments.removeFiles",
  payload: Type.Object({ uuids: Type.Array(Type.String()) }),
  run: async ({ uuids }, { context }) => {
    const kept = new Set((await findKeptUuids(context.database.read, { uuids })).map(({ uuid }) => uuid))
    for (const uuid of uuids) if (!kept.has(uuid)) await context.blobs.remove(keyOf(uuid))
  },
})

const FOLDER = "attachments"

/** Files are grouped in subfolders named after their prefix. */
function keyOf(uuid: string): string {
  if (!UUID.test(uuid)) throw new TypeError("not the name of an attachment")
  return `${FOLDER}/${uuid.slice(0, 2)}/${uuid}`
}

/** A file completely written to disk whose row is not inserted yet. */
export interface StoredFile {
  readonly uuid: string
  /** Bytes. */
  readonly size: number
}

/**
 * Writes the bytes to a new file as they arrive. Refuses `tooLarge` at the first byte over the limit, and fails as `content` does if it aborts;
 * the file is removed then. If the process ends before the row is written, `sweepAttachments` removes the file.
 */
export async function storeFile({ blobs }: WithBlobs, content: Readable, maxBytes: number): Promise<StoredFile> {
  const uuid = randomUUID()
  const tooLarge = () => refuse.tooLarge(t`[attachment]: must have at most ${maxBytes} bytes`)
  return { uuid, size: await writeBounded(blobs, keyOf(uuid), content, maxBytes, tooLarge) }
}

/** Removes a file whose row could not be written. */
export const discardFile = ({ blobs }: WithBlobs, { uuid }: StoredFile): Promise<void> => blobs.remove(keyOf(uuid))

/** Opens the file of an attachment; undefined if it is gone. */
export const openFile = async ({ blobs }: WithBlobs, uuid: string): Promise<OpenBlob | undefined> => blobs.open(keyOf(uuid))

/** Removes files of uploads whose process ended before the row was written. */
export const sweepAttachments: Task = {
  name: "sweep_attachments",
  cron: "37 4 * * *",
  run: async (services, signal) => {
    const { blobs, database, now } = services
    const kept = async (uuids: readonly string[]) => (await findKeptUuids(database.read, { uuids })).map(({ uuid }) => uuid)
    const removed = await sweepBlobs(blobs, FOLDER, { now: now(), signal, findKept: kept })
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}
