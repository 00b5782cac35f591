import { join, resolve } from "node:path"
import { GitError, isGitError } from "../model/errors.ts"
import type { RefUpdate, Repository } from "../model/model.ts"
import { isObjectId, isRefName, type ObjectId, zeroId } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { defaultGraceMs, type RunOptions } from "../process/process.ts"
import { blockingLock, removeStaleLock, removeStaleLocks } from "./locks.ts"
import { createTogether, FEWEST_TOGETHER } from "./packed-refs.ts"
import { writeReference } from "./ref-write.ts"

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

/** How long changing one of many references may take, in milliseconds: each is a file of its own that is flushed to the disk. */
const MS_EACH = 20
/** More references than this may take minutes. */
const MANY = 1000
/** How often an update is tried again whose way stale locks were in. */
const MOST_TRIES = 5
/** How long git may take to remove the lock of one reference when it is asked to end, in milliseconds: killed, it would leave them. */
const GRACE_EACH = 1

/** Git's message when a reference does not have the expected value, or another process is changing it. */
const conflict = /cannot lock ref|but expected|already exists|unable to resolve reference|reference is missing/

/**
 * Updates references atomically, in one process for any number, and without one for a single new value. Many new ones are packed. Throws `conflict` when one of them no longer
 * has its expected value, is being changed by another process, or conflicts with another name (`a` and `a/b`); `failed` otherwise, such as for a
 * missing object or a branch that would name no commit. `detail` is git's message. Throws `timeout`, and `aborted` when the signal fires: then some of the references may have
 * changed, and the caller has to look.
 */
export async function updateReferences(
  context: Context,
  repository: Repository,
  updates: readonly RefUpdate[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  if (updates.length === 0) return
  const input = updates.map((update) => record(update, repository.format)).join("")
  const [only, ...others] = updates
  if (only !== undefined && others.length === 0 && only.to !== null && repository.quarantine === undefined) {
    if (await writeReference(context, repository, { name: only.name, to: only.to, from: only.from })) return
  }
  const created = updates.flatMap(({ name, to, from }) => (to !== null && from === null ? [{ name, to }] : []))
  const isTogether = created.length === updates.length && created.length >= FEWEST_TOGETHER && repository.quarantine === undefined
  if (isTogether && (await createTogether(context, repository, created, { ...(signal && { signal }) }))) return
  const lockOf = ({ name }: RefUpdate) => join(repository.directory, `${name}.lock`)
  const options: RunOptions = {
    repository,
    input,
    timeoutMs: context.limits.commandMs + updates.length * MS_EACH,
    graceMs: defaultGraceMs + updates.length * GRACE_EACH,
    ...(updates.length > MANY && { limiter: context.longWork }),
    ...(signal && { signal }),
  }
  for (let tries = 1; ; tries++) {
    try {
      await context.processes.run({ name: "update-ref", flags: ["--no-deref", "--stdin", "-z"] }, options)
      return
    } catch (error) {
      if (!isGitError(error, "failed")) throw error
      const lock = blockingLock(error.detail)
      if (lock !== undefined && tries < MOST_TRIES && (await removeStaleLock(context, repository, resolve(repository.directory, lock)))) {
        await removeStaleLocks(context, repository, updates.map(lockOf))
        continue
      }
      throw conflict.test(error.detail) ? new GitError("conflict", "a reference was changed by another process", error.detail) : error
    }
  }
}
