import { randomUUID } from "node:crypto"
import { buffer } from "node:stream/consumers"
import type { User } from "../../../core/actor.ts"
import { writeBounded } from "../../../core/blobs/bounded.ts"
import { sweepBlobs } from "../../../core/blobs/sweep.ts"
import { refuse } from "../../../core/errors.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"

/**
 * Files that a page sends one after the other before one commit takes them all. Until then they lie in a folder of their sender, outside of the
 * repository, named by it: no one else can name them. The commit removes them, and a task what no commit takes within hours.
 */

const MIB = 1024 * 1024
/** The most bytes of one file, and of all files of a commit. */
export const MOST_BYTES_OF_FILE = 16 * MIB
export const MOST_BYTES_OF_COMMIT = 64 * MIB
/** The most files of a commit. */
export const MOST_FILES = 500
/** What a person may have waiting: two such commits. */
const MOST_WAITING = 2 * MOST_FILES
const MOST_BYTES_WAITING = 2 * MOST_BYTES_OF_COMMIT

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type WithBlobs = Pick<Services, "blobs">

/** Whose file it is, and for which repository. */
export interface Place {
  readonly me: Pick<User, "id">
  readonly repository: { readonly id: number }
}

const FOLDER = "uploads"
const folderOf = ({ me }: Pick<Place, "me">): string => `${FOLDER}/${me.id}`

function keyOf(place: Place, id: string): string {
  if (!UUID.test(id)) throw refuse.notFound()
  return `${folderOf(place)}/${place.repository.id}-${id}`
}

/** What is waiting counts together with what is still arriving, as far as that is listed. */
async function requireRoom({ blobs }: WithBlobs, place: Place, added: number): Promise<void> {
  let [files, bytes] = [added, 0]
  for await (const { size } of blobs.list(folderOf(place))) {
    files += 1
    bytes += size
  }
  if (files > MOST_WAITING || bytes > MOST_BYTES_WAITING)
    throw refuse.tooMany("too many of your files wait for a commit; commit or remove them, or wait until they are removed after some hours")
}

/**
 * Keeps a file as it arrives, and gives what names it. Refuses `tooLarge` at the first byte over the limit, and `tooMany` where too much of the sender is
 * waiting; a file that breaks off leaves nothing.
 */
export async function stageFile(services: WithBlobs, place: Place, { fileName, content }: Upload): Promise<string> {
  await requireRoom(services, place, 1)
  const id = randomUUID()
  const tooLarge = () => refuse.tooLarge(t`${fileName} has more than ${MOST_BYTES_OF_FILE / MIB} MiB`)
  await writeBounded(services.blobs, keyOf(place, id), content, MOST_BYTES_OF_FILE, tooLarge)
  try {
    await requireRoom(services, place, 0)
  } catch (error) {
    await unstageFiles(services, place, [id])
    throw error
  }
  return id
}

/** The bytes of a file; undefined where it is there no more. */
export async function readStaged({ blobs }: WithBlobs, place: Place, id: string): Promise<Buffer | undefined> {
  const blob = await blobs.open(keyOf(place, id))
  return blob && buffer(blob.read())
}

export async function unstageFiles({ blobs }: WithBlobs, place: Place, ids: readonly string[]): Promise<void> {
  for (const id of ids) await blobs.remove(keyOf(place, id))
}

const HOUR = 3600
/** A file is kept for as long as someone may still write the message of its commit. */
const KEPT_SECONDS = 6 * HOUR
/** Before this, `sweepBlobs` removes nothing. */
const SWEPT_AFTER = 24 * HOUR

export const forgetStagedFiles: Task = {
  name: "forget_staged_files",
  cron: "41 * * * *",
  run: async (services, signal) => {
    const now = services.now() + SWEPT_AFTER - KEPT_SECONDS
    const removed = await sweepBlobs(services.blobs, FOLDER, { now, signal, findKept: async () => [] })
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}
