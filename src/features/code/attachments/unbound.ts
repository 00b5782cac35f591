import type { Actor, User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import type { Upload } from "../../../core/upload.ts"
import { lockUser } from "../../people/users/store.ts"
import { discardFile, removeFilesJob, storeFile } from "./files.ts"
import { requireName } from "./names.ts"
import type { AttachmentRow } from "./present.ts"
import { bindNamed, deleteForgotten, findForgotten, insertAttachment, sumUnbound } from "./store.ts"

/**
 * Files that are sent before the text that is going to name them, as a picture is that someone pastes into a comment that they write. Until then they
 * belong to their uploader and to the repository, and only the uploader may read them. They are bound when a text that names them is written; what no
 * text has named is removed after a day.
 */

/** The most unbound files of a person, and the most bytes of them, as a multiple of the largest file. */
const MOST_FILES = 100
const MOST_LARGEST = 5
/** The most files that a person sends at the same time. */
const MOST_ARRIVING = 8

const arriving = new WeakMap<Services["database"], Map<number, number>>()

/**
 * Stores a file for a text in the repository that the uploader is about to write. Refuses `invalid` for a name that isn't accepted, `tooLarge` for a file
 * over the limit, and `tooMany` where too many files of theirs are waiting already.
 */
export async function keepUnbound(services: Services, repository: { readonly id: number }, uploader: User, upload: Upload) {
  const { database, now } = services
  const { types, maxBytes } = services.config.attachments
  const name = requireName(types, "attachment", upload.fileName)
  const counts = arriving.get(database) ?? new Map<number, number>()
  arriving.set(database, counts)
  const underWay = counts.get(uploader.id) ?? 0
  if (underWay >= MOST_ARRIVING) throw refuse.tooMany("too many of your files arrive at the same time; send them one after the other")
  await requireRoom(database.read, uploader, 0, maxBytes)
  counts.set(uploader.id, (counts.get(uploader.id) ?? 0) + 1)
  try {
    const file = await storeFile(services, upload.content, maxBytes)
    const write = () =>
      database.write(async (tx) => {
        await lockUser(tx, uploader.id)
        await requireRoom(tx, uploader, file.size, maxBytes)
        const [row] = await insertAttachment(tx, {
          uuid: file.uuid,
          repositoryId: repository.id,
          issueId: null,
          commentId: 0,
          releaseId: null,
          uploaderId: uploader.id,
          name,
          size: file.size,
          now: now(),
        })
        if (!row) throw new TypeError("an insert gives its row")
        return row
      })
    return await writeRow(write, () => discardFile(services, file))
  } finally {
    const left = (counts.get(uploader.id) ?? 1) - 1
    if (left > 0) counts.set(uploader.id, left)
    else counts.delete(uploader.id)
  }
}

async function requireRoom(db: Handle, { id }: User, size: number, largest: number): Promise<void> {
  const waiting = await sumUnbound.first(db, { uploaderId: id })
  if ((waiting?.files ?? 0) >= MOST_FILES || (waiting?.bytes ?? 0) + size > MOST_LARGEST * largest)
    throw refuse.tooMany(
      "too many of your files wait for a text that names them; send the text, or wait until they are removed after a day",
    )
}

/** Refuses `notFound` for everyone but the uploader. */
export function requireUploader(attachment: AttachmentRow, actor: Actor): void {
  if (actor.kind !== "user" || attachment.uploader_id !== actor.user.id) throw refuse.notFound()
}

const ADDRESS = /\/attachments\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![\w-])/g

/** The uuids of the files that a text names. */
export const namedIn = (text: string): ReadonlySet<string> => new Set([...text.matchAll(ADDRESS)].map(([, uuid = ""]) => uuid))

/** A text that was written: the body of an issue (comment 0) or a comment. */
export interface WrittenText {
  readonly repositoryId: number
  readonly issueId: number
  readonly commentId: number
  readonly authorId: number
  readonly text: string
}

/** Binds the unbound files of the author that the text names, and gives them. Files of others, and of other repositories, stay as they are. */
export async function bindFiles(tx: Transaction, { text, ...place }: WrittenText): Promise<readonly AttachmentRow[]> {
  const uuids = [...namedIn(text)]
  return uuids.length === 0 ? [] : bindNamed(tx, { ...place, uuids })
}

const DAY = 86_400
const BATCH = 200

/** Removes files that no text has named for a day. Those that a review names which is not submitted yet are kept. */
export const forgetUnboundFiles: Task = {
  name: "forget_unbound_files",
  cron: "23 * * * *",
  run: async ({ database, jobs, now }, signal) => {
    let removed = 0
    for (let last = 0; !signal.aborted; ) {
      const found = await findForgotten(database.read, { before: now() - DAY, after: last, limit: BATCH })
      const ids = found.map(({ id }) => id)
      if (ids.length === 0) break
      last = Math.max(...ids)
      removed += await database.write(async (tx) => {
        const uuids = (await deleteForgotten(tx, { ids })).map(({ uuid }) => uuid)
        if (uuids.length > 0) await jobs.enqueue(tx, removeFilesJob, { uuids })
        return uuids.length
      })
    }
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}
