import { randomUUID } from "node:crypto"
import { type FileHandle, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { refuse } from "../../../core/errors.ts"
import { namesIn, openIfExists, sweepFolder, writeBounded } from "../../../core/files.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import type { Task } from "../../../core/jobs/schedule.ts"
import { t } from "../../../core/language/message.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findKeptUuids } from "./store.ts"

/** Attachment files, stored below the data folder by uuid. A row is inserted after its file is written, and deleted before the file is removed. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type WithConfig = Pick<Services, "config">

/** Removes the files of deleted attachments. */
export const removeFilesJob = defineJob({
  kind: "attachments.removeFiles",
  payload: Type.Object({ uuids: Type.Array(Type.String()) }),
  run: async ({ uuids }, { context }) => {
    for (const uuid of uuids) await rm(pathOf(context, uuid), { force: true })
  },
})

/** The folder of all attachments; files are grouped in subfolders named after their prefix. */
export const folderOf = ({ config }: WithConfig): string => join(config.dataDir, "attachments")

function pathOf(services: WithConfig, uuid: string): string {
  if (!UUID.test(uuid)) throw new TypeError("not the name of an attachment")
  return join(folderOf(services), uuid.slice(0, 2), uuid)
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
export async function storeFile(services: WithConfig, content: Readable, maxBytes: number): Promise<StoredFile> {
  const uuid = randomUUID()
  const tooLarge = () => refuse.tooLarge(t`[attachment]: must have at most ${maxBytes} bytes`)
  return { uuid, size: await writeBounded(pathOf(services, uuid), content, maxBytes, tooLarge) }
}

/** Removes a file whose row could not be written. */
export const discardFile = (services: WithConfig, { uuid }: StoredFile): Promise<void> => rm(pathOf(services, uuid), { force: true })

/** Opens the file of an attachment, which the caller closes; undefined if it is gone. */
export const openFile = async (services: WithConfig, uuid: string): Promise<FileHandle | undefined> => openIfExists(pathOf(services, uuid))

/** Removes files of uploads whose process ended before the row was written. */
export const sweepAttachments: Task = {
  name: "sweep_attachments",
  cron: "37 4 * * *",
  run: async (services, signal) => {
    const { database, now } = services
    const kept = async (uuids: readonly string[]) => (await findKeptUuids(database.read, { uuids })).map(({ uuid }) => uuid)
    let removed = 0
    for (const shard of await namesIn(folderOf(services)))
      removed += await sweepFolder(join(folderOf(services), shard), { now: now(), signal, findKept: kept })
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}
