import { randomBytes } from "node:crypto"
import { link, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Context } from "./context.ts"
import { hasCode } from "./errors.ts"
import type { Repository } from "./model.ts"

/*
 * Git, and this service as git does, locks a file by making another beside it whose name ends in `.lock`. Whoever is killed while holding one leaves
 * it behind, and nobody could change the file ever after.
 */

/** Longer than any command of git that changes references may take (`commandMs`), in milliseconds. */
const LONGEST_HELD_MS = 120_000

/** The same of a lock of this service, which holds it for two steps in the file system; whoever took longer gives up. */
export const OWN_HELD_MS = 5_000

/**
 * Takes away a lock whose holder is gone: one that was made before this process, where no other works in these repositories, or long ago. A lock of
 * this service is known by its second name. Returns whether the lock is gone.
 */
export async function removeStaleLock(context: Context, repository: Repository, path: string): Promise<boolean> {
  const found = await statusOf(path)
  if (found === undefined) return true
  const longest = found.nlink === 2 ? OWN_HELD_MS : LONGEST_HELD_MS
  if (found.mtimeMs >= Math.max(context.aloneSince, Date.now() - longest)) return false
  const aside = newLockName(repository)
  try {
    await rename(path, aside)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return true
    throw error
  }
  // Somebody else may have taken the old lock away first, and this is a new one: its holder gets it back.
  const live = (await statusOf(aside))?.ino !== found.ino
  if (live) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
  if (!live) context.log({ level: "warn", message: "removed a lock that was left behind", detail: path })
  return !live
}

/** A name that nobody has, on the file system of the repository, which git and `doctor` know as that of a lock. */
export const newLockName = ({ directory }: Repository): string => join(directory, `hearth-${randomBytes(8).toString("hex")}.lock`)

const statusOf = (path: string) =>
  stat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  })

/** How git, and this service, say that a lock is held. */
export const lockHeld = (path: string): string => `Unable to create '${path}': File exists`

/** The lock that was in the way, as far as these words tell. */
export const blockingLock = (words: string): string | undefined => /Unable to create '([^'\n]+\.lock)': File exists/.exec(words)?.[1]
