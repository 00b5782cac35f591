import { createHash } from "node:crypto"
import { buffer } from "node:stream/consumers"
import { sweepBlobs } from "../../../core/blobs/sweep.ts"
import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Task } from "../../../core/jobs/jobs.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { recognizePicture } from "./images.ts"
import { findShown } from "./store.ts"

/** Uploaded avatars, stored under the digest of their bytes. */

/** Bytes; a picture is shown at a few hundred pixels, and sent with every page. */
export const MAX_PICTURE_BYTES = 1024 * 1024
/** Pixels on either side: larger images take too much of the viewer's memory. */
export const MAX_PICTURE_SIDE = 4096

const DIGEST = /^[0-9a-f]{64}$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const FOLDER = "avatars"
const keyOf = (digest: string): string => `${FOLDER}/${digest}`

/**
 * Stores an image sent in base64, with or without line breaks, and passes its digest to `show`, which writes it to the `avatar` column of a
 * user or repository; if `show` fails, the image is deleted again unless another row uses it.
 * Refuses `badRequest` for text that isn't base64, and `invalid` for `image` unless it is a PNG, JPEG, GIF or WebP of at most 1 MiB and
 * 4096 pixels on a side. Not for use inside a transaction.
 */
export async function storeAvatar(services: Services, base64: string, show: (digest: string) => Promise<unknown>): Promise<void> {
  const bytes = decode(base64)
  requirePicture(bytes)
  const digest = createHash("sha256").update(bytes).digest("hex")
  await services.blobs.write(keyOf(digest), [bytes])
  try {
    await show(digest)
  } catch (error) {
    await dropAvatar(services, digest).catch(() => {})
    throw error
  }
}

function decode(base64: string): Buffer {
  const text = base64.replaceAll(/\s/g, "")
  if (text === "" || !BASE64.test(text)) throw refuse.badRequest("[image]: must be the picture's bytes in base64")
  return Buffer.from(text, "base64")
}

function requirePicture(bytes: Buffer): void {
  if (bytes.length > MAX_PICTURE_BYTES) throw refuse.invalid("image", t`must have at most ${MAX_PICTURE_BYTES} bytes`)
  const picture = recognizePicture(bytes)
  if (!picture) throw refuse.invalid("image", "must be a PNG, JPEG, GIF or WebP picture")
  const { width, height } = picture
  if (width < 1 || height < 1 || width > MAX_PICTURE_SIDE || height > MAX_PICTURE_SIDE)
    throw refuse.invalid("image", t`must be at most ${MAX_PICTURE_SIDE} pixels wide and high, not ${width} by ${height}`)
}

/** The bytes of an uploaded image, or undefined. */
export async function readAvatar(services: Services, digest: string): Promise<Buffer | undefined> {
  if (!DIGEST.test(digest)) return undefined
  const blob = await services.blobs.open(keyOf(digest))
  return blob && buffer(blob.read())
}

/**
 * Deletes an uploaded image that no row uses any more; called once the row that used it has changed. If the same image is uploaded at that very
 * moment, the generated one is shown instead, and the image can be uploaded again.
 */
export async function dropAvatar(services: Services, digest: string): Promise<void> {
  if (DIGEST.test(digest) && !(await isShown(services.database.read, digest))) await services.blobs.remove(keyOf(digest))
}

const isShown = async (db: Handle, digest: string): Promise<boolean> => (await findShown(db, [digest])).length > 0

/** Removes images that no row uses, and drafts of them: left by processes that ended between an image and its row. */
export const sweepAvatars: Task = {
  name: "sweep_avatars",
  cron: "27 4 * * *",
  run: async (services, signal) => {
    const { blobs, database, now } = services
    const removed = await sweepBlobs(blobs, FOLDER, { now: now(), signal, findKept: (names) => findShown(database.read, names) })
    return removed === 0 ? undefined : `removed ${removed} files`
  },
}
