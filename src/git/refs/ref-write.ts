import { link, mkdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pause } from "../../seams/pause.ts"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { isObjectId, type ObjectId, type RefName } from "../model/names.ts"
import { objectInfo } from "../objects/objects.ts"
import type { Context } from "../process/context.ts"
import { writeNewFile } from "../process/files.ts"
import { lockHeld, newLockName, OWN_HELD_MS, removeStaleLock } from "./locks.ts"
import { isNameFree, readLooseReference, resolvePacked } from "./ref-files.ts"

/*
 * A single reference is updated here, because a process costs more than everything else that a commit through the API needs. It is done as git
 * does it: the new value is written to `<reference>.lock`, which only one process can create; under this lock the old value is compared; then the
 * file replaces the reference atomically. So git and other processes of this service are locked out and never see a partial change. The value is
 * flushed to disk before it becomes the lock, so that the lock is held only briefly, and is complete whenever the process is killed.
 */

/** How long to wait for a lock that is held, in milliseconds: as long as git waits. */
const LOCK_MS = 100
const PAUSE_MS = 5

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
  const lock = `${path}.lock`
  const written = newLockName(repository)
  const begin = performance.now()
  let held = false
  try {
    await writeNewFile(context, written, `${to}\n`)
    if (pause) await pause("lock.take")
    held = await takeLock(context, repository, lock, written)
    if (!held) return false
    if (pause) await pause("lock.held")
    const current = await currentValue(repository, name)
    if (current === "other") return false
    if (from !== undefined && (from ?? undefined) !== current) {
      const detail = `${name} is at ${current ?? "nothing"} but expected ${from}`
      throw new GitError("conflict", "a reference was changed by another process", detail)
    }
    // Another process may have removed this lock as stale.
    held = performance.now() - begin < OWN_HELD_MS / 2
    if (!held) throw new GitError("conflict", "writing a reference took too long", lockHeld(lock))
    if (pause) await pause("file.rename")
    await rename(lock, path)
    held = false
    return true
  } catch (error) {
    // An empty directory has this name, which git removes.
    if (hasCode(error, "EISDIR", "ENOTEMPTY", "EEXIST")) return false
    throw error
  } finally {
    // Once it has replaced the reference, a lock of that name is another's.
    if (held) await rm(lock, { force: true })
    await rm(written, { force: true })
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

/** Makes a file the lock; false if a reference has the name of one of its directories. Throws `conflict` while another process holds it. */
async function takeLock(context: Context, repository: Repository, lock: string, file: string): Promise<boolean> {
  const end = performance.now() + LOCK_MS
  for (;;) {
    try {
      await link(file, lock)
      return true
    } catch (error) {
      if (hasCode(error, "ENOTDIR")) return false
      if (hasCode(error, "EEXIST") && (await removeStaleLock(context, repository, lock))) continue
      if (performance.now() > end) throw new GitError("conflict", "a reference is being changed by another process", lockHeld(lock))
      if (hasCode(error, "EEXIST")) await sleep(PAUSE_MS)
      else if (!hasCode(error, "ENOENT") || !(await makeFolder(dirname(lock)))) throw error
    }
  }
}

/** Makes the directories of a new reference; git may remove empty ones at the same time. False if a file has that name. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { recursive: true })
    return true
  } catch (error) {
    if (hasCode(error, "EEXIST", "ENOTDIR")) return false
    if (hasCode(error, "ENOENT")) return true
    throw error
  }
}
