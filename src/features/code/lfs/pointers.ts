import { mapInBatches } from "../../../core/batches.ts"
import type { Git, ObjectId, Repository } from "../../../git/index.ts"

/** Whether a text is an object id: a SHA-256 in lower-case hex, which can't contain path separators. */
export const isOid = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Whether a number is a valid size in bytes. */
export const isSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0

/** The content of a pointer to a large file. */
export interface LargeFile {
  readonly oid: string
  readonly size: number
}

/** The largest pointer in bytes. */
export const POINTER_BYTES = 1024

/** Parses a pointer as defined by the Git LFS specification; undefined for any other content. */
export function readPointer(content: Buffer): LargeFile | undefined {
  if (content.length > POINTER_BYTES) return undefined
  const text = content.toString("latin1")
  if (!text.startsWith("version https://git-lfs.github.com/spec/")) return undefined
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1]
  const size = /^size (\d{1,15})$/m.exec(text)?.[1]
  return oid === undefined || size === undefined ? undefined : { oid, size: Number(size) }
}

/** Commits whose histories are searched for pointers, and those to exclude. */
export interface Histories {
  readonly to: readonly ObjectId[]
  readonly not: readonly ObjectId[]
}

/**
 * The large files that histories point to and excluded ones don't, each id once. Nothing is checked out: only blobs that are small enough to be pointers are
 * read. Throws like `smallBlobs`.
 */
export async function findPointers(git: Git, repository: Repository, { to, not }: Histories): Promise<readonly LargeFile[]> {
  if (to.length === 0) return []
  const blobs = await git.objects.smallBlobs(repository, { to, not, below: POINTER_BYTES + 1 })
  const found = new Map<string, LargeFile>()
  await mapInBatches(blobs, async (blob) => {
    const pointer = readPointer(await git.objects.readBlob(repository, blob))
    if (pointer) found.set(pointer.oid, pointer)
  })
  return [...found.values()]
}
