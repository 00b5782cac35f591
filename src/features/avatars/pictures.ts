import { createHash, randomBytes } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Handle } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import { pause } from "../../core/pausePoint.ts"
import type { Services } from "../../core/services.ts"
import { recognizePicture } from "./images.ts"

/** The pictures that people upload, kept below the data folder under the digest of their bytes. */

/** Bytes; a picture is shown at a few hundred pixels, and sent with every page. */
export const MAX_PICTURE_BYTES = 1024 * 1024
/** Pixels on either side: more takes the memory of whoever looks at it. */
export const MAX_PICTURE_SIDE = 4096

const DIGEST = /^[0-9a-f]{64}$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const folderOf = ({ config }: Services): string => join(config.dataDir, "avatars")

/**
 * Keeps a picture sent in base64, with or without line breaks, and gives its digest, for the `avatar` column of a user or repository.
 * Refuses `badRequest` for what is no base64, and `invalid` for `image` for what is no PNG, JPEG, GIF or WebP, and for one that is larger
 * than 1 MiB or 4096 pixels on a side. Not for use inside a transaction.
 */
export async function storeAvatar(services: Services, base64: string): Promise<string> {
  const bytes = decode(base64)
  requirePicture(bytes)
  const digest = createHash("sha256").update(bytes).digest("hex")
  const folder = folderOf(services)
  await mkdir(folder, { recursive: true })
  // Written aside and renamed: whoever reads meanwhile finds it whole or not at all.
  const draft = join(folder, `${digest}.${randomBytes(6).toString("hex")}`)
  try {
    await writeFile(draft, bytes, { flag: "wx" })
    if (pause) await pause("file.rename")
    await rename(draft, join(folder, digest))
  } finally {
    await rm(draft, { force: true })
  }
  return digest
}

function decode(base64: string): Buffer {
  const text = base64.replaceAll(/\s/g, "")
  if (text === "" || !BASE64.test(text)) throw refuse.badRequest("[image]: must be the picture's bytes in base64")
  return Buffer.from(text, "base64")
}

function requirePicture(bytes: Buffer): void {
  if (bytes.length > MAX_PICTURE_BYTES) throw refuse.invalid("image", `must have at most ${MAX_PICTURE_BYTES} bytes`)
  const picture = recognizePicture(bytes)
  if (!picture) throw refuse.invalid("image", "must be a PNG, JPEG, GIF or WebP picture")
  const { width, height } = picture
  if (width < 1 || height < 1 || width > MAX_PICTURE_SIDE || height > MAX_PICTURE_SIDE)
    throw refuse.invalid("image", `must be at most ${MAX_PICTURE_SIDE} pixels wide and high, not ${width} by ${height}`)
}

/** The bytes of an uploaded picture, or undefined. */
export async function readAvatar(services: Services, digest: string): Promise<Buffer | undefined> {
  if (!DIGEST.test(digest)) return undefined
  try {
    return await readFile(join(folderOf(services), digest))
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

/**
 * Deletes an uploaded picture that nobody shows any more; called once the row that showed it has changed. Whoever uploads the same
 * picture in that very moment sees a drawn one instead, and can upload it again.
 */
export async function dropAvatar(services: Services, digest: string): Promise<void> {
  if (DIGEST.test(digest) && !(await isShown(services.database.read, digest))) await rm(join(folderOf(services), digest), { force: true })
}

async function isShown(db: Handle, digest: string): Promise<boolean> {
  const users = db.selectFrom("users").select("id").where("avatar", "=", digest)
  const repositories = db.selectFrom("repositories").select("id").where("avatar", "=", digest)
  return (await users.unionAll(repositories).limit(1).execute()).length > 0
}
