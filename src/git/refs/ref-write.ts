import { join } from "node:path"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { isObjectId, type ObjectId, type RefName } from "../model/names.ts"
import { objectInfo } from "../objects/objects.ts"
import type { Context } from "../process/context.ts"
import { writeNewFile } from "../process/files.ts"
import { replaceFile } from "./locks.ts"
import { isNameFree, readLooseReference, resolvePacked } from "./ref-files.ts"

/*
 * A single reference is updated here, because a process costs more than everything else that a commit through the API needs. It is done as git does it: the new value is written to a file, and its name
 * locked (`locks.ts`); under this lock the old value is compared; then the file replaces the reference atomically. So git and other processes of this service are locked out and never see a partial
 * change. The value is flushed to disk before the lock is taken, so that the lock is held only briefly, and is complete whenever the process is killed.
 */

/** A value for a reference. */
interface NewValue {
  readonly name: RefName
  readonly to: ObjectId
  /** The value that it must have, null when it must not exist; undefined when any will do. */
  readonly from: ObjectId | null | undefined
}

/**
 * Sets a reference, or returns false where that is left to git: symbolic references, and names that conflict with each other.
 * Throws `conflict` when it does not have the expected value or is being changed by another, `failed` for an object that is missing, or is no commit
 * though a branch would name it.
 */
export async function writeReference(context: Context, repository: Repository, { name, to, from }: NewValue): Promise<boolean> {
  await requireNameable(context, repository, name, to)
  const path = join(repository.directory, name)
  const mayReplace = async (): Promise<boolean> => {
    const current = await currentValue(repository, name)
    if (current === "other") return false
    if (from !== undefined && (from ?? undefined) !== current) {
      const detail = `${name} is at ${current ?? "nothing"} but expected ${from}`
      throw new GitError("conflict", "a reference was changed by another process", detail)
    }
    return true
  }
  try {
    return await replaceFile(context, repository, path, (file) => writeNewFile(context, file, `${to}\n`), mayReplace)
  } catch (error) {
    // An empty directory has this name, which git removes.
    if (hasCode(error, "EISDIR", "ENOTEMPTY", "EEXIST")) return false
    throw error
  }
}

async function requireNameable(context: Context, repository: Repository, name: RefName, id: ObjectId): Promise<void> {
  const type = (await objectInfo(context, repository, id))?.type
  if (type === undefined) throw new GitError("failed", "a reference can't name an object that is missing", id)
  if (name.startsWith("refs/heads/") && type !== "commit") throw new GitError("failed", "a branch can name only a commit", id)
}

/** The current value of a reference; "other" for what isn't changed here. */
async function currentValue(repository: Repository, name: RefName): Promise<ObjectId | undefined | "other"> {
  const loose = await readLooseReference(repository, name)
  if (loose === "directory") return "other"
  if (loose !== undefined) return isObjectId(loose, repository.format) ? loose : "other"
  const packed = await resolvePacked(repository, name)
  return packed === undefined && !(await isNameFree(repository, name)) ? "other" : packed
}
