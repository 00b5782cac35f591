import { createHash, randomBytes } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { mkdir, rm, stat, utimes } from "node:fs/promises"
import { dirname, join } from "node:path"
import { inflateSync } from "node:zlib"
import { pause } from "../../seams/pause.ts"
import { hasCode } from "../model/errors.ts"
import type { ObjectType, RawObject, Repository } from "../model/model.ts"
import { isObjectId, type ObjectFormat, type ObjectId, objectId } from "../model/names.ts"
import { compact, isSmall } from "../process/cache.ts"
import type { Context } from "../process/context.ts"
import { namesIn, renameFile, writeNewFile } from "../process/files.ts"
import { deflated } from "./deflate.ts"
import { newObjectsOf, objectFolders } from "./folders.ts"

/** The larger objects are read by git, which streams them. */
const looseLimit = 1024 * 1024

/** What zlib says of bytes that it did not make, and of a file that was cut off. */
const DAMAGED = ["Z_DATA_ERROR", "Z_BUF_ERROR", "Z_NEED_DICT", "Z_STREAM_ERROR"] as const

const header = (type: ObjectType, size: number) => Buffer.from(`${type} ${size}\0`)

/** The id of an object, without storing it. */
export function hashObject(format: ObjectFormat, type: ObjectType, content: Uint8Array): ObjectId {
  return objectId(createHash(format).update(header(type, content.length)).update(content).digest("hex"), format)
}

const isObjectType = (value: string): value is ObjectType => value === "blob" || value === "tree" || value === "commit" || value === "tag"

/** Parses an inflated loose object, or undefined when it is malformed. */
function parse(bytes: Buffer): RawObject | undefined {
  const end = bytes.indexOf(0)
  const [type = "", size] = bytes.subarray(0, Math.max(end, 0)).toString("latin1").split(" ")
  const content = bytes.subarray(end + 1)
  return isObjectType(type) && Number(size) === content.length ? { type, content } : undefined
}

/** A small object that was written here a moment ago. */
export function writtenObject({ cache }: Context, repository: Repository, id: ObjectId): RawObject | undefined {
  for (const folder of objectFolders(repository)) {
    const known = cache.written.get(pathIn(folder, id))
    if (known) return known
  }
  return undefined
}

/**
 * Reads a small loose object; undefined when it is in a pack, is over 1 MiB, doesn't exist, or is damaged, of which git then says more. Starts no
 * process. Read synchronously: most are a few hundred bytes, and four trips through the thread pool take ten times as long.
 */
export function readLooseObject(context: Context, repository: Repository, id: ObjectId): RawObject | undefined {
  return writtenObject(context, repository, id) ?? readLooseFile(repository, id)
}

/** The same without those that are in memory. */
export function readLooseFile(repository: Repository, id: ObjectId): RawObject | undefined {
  for (const folder of objectFolders(repository)) {
    const path = pathIn(folder, id)
    try {
      const found = statSync(path, { throwIfNoEntry: false })
      if (found && found.size <= looseLimit) return parse(inflateSync(readFileSync(path), { maxOutputLength: looseLimit }))
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR", "ERR_BUFFER_TOO_LARGE", ...DAMAGED)) throw error
    }
  }
  return undefined
}

const pathIn = (folder: string, id: ObjectId): string => join(folder, id.slice(0, 2), id.slice(2))

/** An object that is to be stored, under the id that it has. */
export interface NewObject extends RawObject {
  readonly id: ObjectId
}

/** A temporary file with a new object, and the path that makes it visible. */
interface PendingObject {
  readonly temporary: string
  readonly path: string
  readonly size: number
  readonly object: RawObject
}

/** Objects that are written concurrently. */
const AT_ONCE = 16

/**
 * Stores loose objects unless they exist already. They are written and flushed to disk concurrently, and become visible in the order given: an object
 * comes after those that it names. Returns the bytes that they take.
 */
export async function storeLooseObjects(context: Context, repository: Repository, objects: readonly NewObject[]): Promise<number> {
  const pending: (PendingObject | undefined)[] = []
  try {
    for (let start = 0; start < objects.length; start += AT_ONCE) {
      const batch = await Promise.allSettled(
        objects.slice(start, start + AT_ONCE).map((object) => writeTemporary(context, repository, object)),
      )
      for (const result of batch) if (result.status === "fulfilled") pending.push(result.value)
      const failed = batch.find((result) => result.status === "rejected")
      if (failed) throw failed.reason
    }
    for (const one of pending) {
      if (pause) await pause("file.rename")
      if (!one) continue
      await renameFile(context, one.temporary, one.path)
      note(context, one.path, one.object)
    }
  } catch (error) {
    await Promise.all(pending.map((one) => one && rm(one.temporary, { force: true })))
    throw error
  }
  return pending.reduce((sum, one) => sum + (one?.size ?? 0), 0)
}

/** Writes an object to a temporary file, or returns undefined if it exists already. */
async function writeTemporary(
  context: Context,
  repository: Repository,
  { id, type, content }: NewObject,
): Promise<PendingObject | undefined> {
  const path = pathIn(newObjectsOf(repository), id)
  // What is staged is the newer the later it is written: it is not looked for.
  if (repository.staging === undefined && (await freshen(path))) return undefined
  const bytes = Buffer.concat([header(type, content.length), content])
  const packed = await deflated(bytes)
  // Git's own name for such files, so that `git prune` removes those that a crash left.
  const temporary = join(dirname(path), `tmp_obj_${randomBytes(9).toString("hex")}`)
  try {
    await inFolder(path, () => writeNewFile(context, temporary, packed, 0o444))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return { temporary, path, size: packed.length, object: { type, content } }
}

/** Puts something into the folder of a path, which is made where it is missing: most are there. */
const inFolder = (path: string, put: () => Promise<void>): Promise<void> =>
  put().catch(async (error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error
    await mkdir(dirname(path), { recursive: true })
    await put()
  })

/** Keeps what was written for who reads it next. */
function note({ cache }: Context, path: string, { type, content }: RawObject): void {
  if (isSmall(content.length)) cache.written.set(path, { type, content: compact(content) })
}

interface Destination {
  readonly objects: string
  /** The path by which views of the repository know the directory. */
  readonly seenAs: string
}

/** Moves loose objects from one directory to another, and gives those that the first one does not have. An object comes after those that it names. */
export async function moveLooseObjects(
  context: Context,
  from: string,
  { objects: to, seenAs }: Destination,
  objects: readonly NewObject[],
): Promise<readonly NewObject[]> {
  const gone: NewObject[] = []
  for (const object of objects.toReversed()) {
    const [before, path] = [pathIn(from, object.id), pathIn(to, object.id)]
    try {
      await inFolder(path, () => renameFile(context, before, path))
      context.cache.written.delete(before)
      note(context, pathIn(seenAs, object.id), object)
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error
      gone.push(object)
    }
  }
  return gone.toReversed()
}

/** Whether the object exists; if so its time is updated, so that pruning unreachable objects keeps it until it is referenced. */
async function freshen(path: string): Promise<boolean> {
  const now = new Date()
  try {
    await utimes(path, now, now)
    return true
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error
    return false
  }
}

/** Stores one object, see `storeLooseObjects`. */
export async function writeLooseObject(context: Context, repository: Repository, type: ObjectType, content: Buffer): Promise<ObjectId> {
  const id = hashObject(repository.format, type, content)
  await storeLooseObjects(context, repository, [{ id, type, content }])
  return id
}

/** The ids of the loose objects with this prefix of at least two digits. */
export async function looseIds(repository: Repository, prefix: string): Promise<readonly ObjectId[]> {
  const first = prefix.slice(0, 2)
  const names = await Promise.all(objectFolders(repository).map((folder) => namesIn(join(folder, first))))
  const ids = new Set(names.flat().map((name) => first + name))
  return [...ids].filter((id): id is ObjectId => id.startsWith(prefix) && isObjectId(id, repository.format))
}

/** The bytes that these objects take on disk as loose objects; those in packs don't count. */
export async function looseBytes(repository: Repository, ids: Iterable<ObjectId>): Promise<number> {
  const folder = newObjectsOf(repository)
  const sizes = await Promise.all(
    [...new Set(ids)].map(async (id) => (await stat(join(folder, id.slice(0, 2), id.slice(2))).catch(() => undefined))?.size ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
