import { createHash, randomBytes } from "node:crypto"
import { access, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { deflate, deflateSync, inflateSync } from "node:zlib"
import type { Context } from "./context.ts"
import { hasCode } from "./errors.ts"
import { writeNewFile } from "./files.ts"
import type { ObjectType, Repository } from "./model.ts"
import { isObjectId, type ObjectFormat, type ObjectId, objectId } from "./names.ts"

const deflateAway = promisify(deflate)

/** An object with its content. */
export interface RawObject {
  readonly type: ObjectType
  readonly content: Buffer
}

/** The larger objects are read by git, which streams them. */
const looseLimit = 1024 * 1024

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

/** Reads a small object that lies in a file of its own, or undefined when it lies in a pack, is over 1 MiB, or is not there. Starts no process. */
export async function readLooseObject(repository: Repository, id: ObjectId): Promise<RawObject | undefined> {
  const main = join(repository.directory, "objects")
  for (const folder of repository.quarantine === undefined ? [main] : [repository.quarantine, main]) {
    try {
      const bytes = await readFile(join(folder, id.slice(0, 2), id.slice(2)))
      return parse(inflateSync(bytes, { maxOutputLength: looseLimit }))
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR", "ERR_BUFFER_TOO_LARGE")) throw error
    }
  }
  return undefined
}

/** Stores an object in a file of its own, in one step, unless it is there already. */
export async function writeLooseObject(context: Context, repository: Repository, type: ObjectType, content: Uint8Array): Promise<ObjectId> {
  const id = hashObject(repository.format, type, content)
  const folder = join(repository.directory, "objects", id.slice(0, 2))
  const path = join(folder, id.slice(2))
  const there = await access(path).then(
    () => true,
    () => false,
  )
  if (there) return id
  const bytes = Buffer.concat([header(type, content.length), content])
  const packed = bytes.length < 32 * 1024 ? deflateSync(bytes, { level: 1 }) : await deflateAway(bytes, { level: 1 })
  await mkdir(folder).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error
  })
  // Git's own name for such files, so that `git prune` clears away what a crash left.
  const temporary = join(folder, `tmp_obj_${randomBytes(9).toString("hex")}`)
  try {
    await writeNewFile(context, temporary, packed, 0o444)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return id
}

/** The ids of the objects with files of their own that begin so. `prefix` has at least two digits. */
export async function looseIds({ directory, format }: Repository, prefix: string): Promise<readonly ObjectId[]> {
  const folder = prefix.slice(0, 2)
  const names = await readdir(join(directory, "objects", folder)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return []
    throw error
  })
  return names.map((name) => folder + name).filter((id): id is ObjectId => id.startsWith(prefix) && isObjectId(id, format))
}

/** The bytes that these objects take on the disk in files of their own; those that lie in packs count nothing. */
export async function looseBytes({ directory }: Repository, ids: Iterable<ObjectId>): Promise<number> {
  const sizes = await Promise.all(
    [...new Set(ids)].map(
      async (id) => (await stat(join(directory, "objects", id.slice(0, 2), id.slice(2))).catch(() => undefined))?.size ?? 0,
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
