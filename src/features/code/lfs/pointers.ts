import { mapInBatches } from "../../../core/batches.ts"
import type { Git, ObjectId, Repository } from "../../../git/index.ts"
import { type LargeFile, POINTER_BYTES, readPointer } from "../contents/lfs.ts"

/** Histories to look through for pointers, and those to leave out. */
export interface Histories {
  readonly to: readonly ObjectId[]
  readonly not: readonly ObjectId[]
}

/**
 * The large files that histories point to and others don't, each name once. Nothing is checked out: only blobs that are small enough to be pointers are
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
