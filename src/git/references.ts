import { resolve } from "node:path"
import type { Context } from "./context.ts"
import { GitError, isGitError } from "./errors.ts"
import { blockingLock, removeStaleLock } from "./locks.ts"
import type { Repository } from "./model.ts"
import { isObjectId, isRefName, type ObjectId, type RefName, zeroId } from "./names.ts"
import { writeReference } from "./refWrite.ts"

/** A change to one reference. */
export interface RefUpdate {
  readonly name: RefName
  /** The new value, or null to delete it. */
  readonly to: ObjectId | null
  /** The value that it must have, null when it must not exist; left out when any will do. */
  readonly from?: ObjectId | null
}

/** One record of `update-ref --stdin -z`. */
function record(update: RefUpdate, format: Repository["format"]): string {
  const { name, to, from } = update
  const idFits = (id: ObjectId | null | undefined) => id === null || id === undefined || isObjectId(id, format)
  if (!isRefName(name) || !name.startsWith("refs/") || !idFits(to) || !idFits(from)) {
    throw new GitError("invalid", "not a change to a reference", JSON.stringify(update))
  }
  const value = (id: ObjectId | null | undefined) => (id === undefined ? "" : (id ?? zeroId(format)))
  if (to === null && from === null) return `verify ${name}\0${zeroId(format)}\0`
  if (to === null) return `delete ${name}\0${value(from)}\0`
  return `update ${name}\0${to}\0${value(from)}\0`
}

/** Git's message when a reference does not have the expected value, or another process is changing it. */
const conflict = /cannot lock ref|but expected|already exists|unable to resolve reference|reference is missing/

/**
 * Updates references atomically, in one process for any number, and without one for a single new value. Throws `conflict` when one of them no longer
 * has its expected value, is being changed by another process, or conflicts with another name (`a` and `a/b`); `failed` otherwise, such as for a
 * missing object or a branch that would name no commit. `detail` is git's message.
 */
export async function updateReferences(context: Context, repository: Repository, updates: readonly RefUpdate[]): Promise<void> {
  if (updates.length === 0) return
  const input = updates.map((update) => record(update, repository.format)).join("")
  const [only, ...others] = updates
  if (only !== undefined && others.length === 0 && only.to !== null && repository.quarantine === undefined) {
    if (await writeReference(context, repository, { name: only.name, to: only.to, from: only.from })) return
  }
  for (;;) {
    try {
      await context.processes.run({ name: "update-ref", flags: ["--no-deref", "--stdin", "-z"] }, { repository, input })
      return
    } catch (error) {
      if (!isGitError(error, "failed")) throw error
      const lock = blockingLock(error.detail)
      if (lock !== undefined && (await removeStaleLock(context, repository, resolve(repository.directory, lock)))) continue
      throw conflict.test(error.detail) ? new GitError("conflict", "a reference was changed by another process", error.detail) : error
    }
  }
}
