import { randomBytes } from "node:crypto"
import { link, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { Context } from "../process/context.ts"

/*
 * Git, and this service in the same way, locks a file by creating another next to it with the suffix `.lock`. A process that is killed while holding
 * one leaves it behind, which would block the file for ever.
 */

/** Longer than any git command that changes references may take, in milliseconds: `commandMs`, and 20 for each of the 30,000 that one push may change at most. */
const LONGEST_HELD_MS = 900_000

/** The same for a lock of this service; a holder that takes longer than half of it gives up. */
export const OWN_HELD_MS = 5_000

/** Locks that are looked at at once. */
const BATCH = 64

/**
 * Removes the stale locks of many files at once, such as an update of references leaves behind whose process was killed: without the others each would be found by a process of its
 * own.
 */
export async function removeStaleLocks(context: Context, repository: Repository, paths: readonly string[]): Promise<void> {
  let removed = 0
  for (let start = 0; start < paths.length; start += BATCH) {
    const gone = await Promise.all(paths.slice(start, start + BATCH).map((path) => takeAwayStale(context, repository, path)))
    removed += gone.filter((state) => state === "removed").length
  }
  if (removed > 0) context.log({ level: "warn", message: `removed ${removed} locks that were left behind`, repository: repository.key })
}

/**
 * Removes a stale lock: one that is older than this process, if no other uses these repositories, or very old. A lock of this service is known by its
 * other names. Returns whether the lock is gone.
 */
export async function removeStaleLock(context: Context, repository: Repository, path: string): Promise<boolean> {
  const state = await takeAwayStale(context, repository, path)
  if (state === "removed") context.log({ level: "warn", message: "removed a lock that was left behind", detail: path })
  return state !== "held"
}

async function takeAwayStale(context: Context, repository: Repository, path: string): Promise<"removed" | "gone" | "held"> {
  const found = await statusOf(path)
  if (found === undefined) return "gone"
  const longest = found.nlink > 1 ? OWN_HELD_MS : LONGEST_HELD_MS
  if (found.mtimeMs >= Math.max(context.aloneSince, Date.now() - longest)) return "held"
  const aside = newLockName(repository)
  try {
    await rename(path, aside)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "gone"
    throw error
  }
  // Another process may have removed the old lock first, and this is a new one: it is restored for its holder.
  const live = (await statusOf(aside))?.ino !== found.ino
  if (live) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
  return live ? "held" : "removed"
}

/** A unique name, on the file system of the repository, which git and `doctor` recognise as a lock. */
export const newLockName = ({ directory }: Repository): string => join(directory, `hearth-${randomBytes(8).toString("hex")}.lock`)

const statusOf = (path: string) =>
  stat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  })

/** The message of git, and of this service, that a lock is held. */
export const lockHeld = (path: string): string => `Unable to create '${path}': File exists`

/** The path of the blocking lock in git's message, if it names one. */
export const blockingLock = (words: string): string | undefined => /Unable to create '([^'\n]+\.lock)': File exists/.exec(words)?.[1]
