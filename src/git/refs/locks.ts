import { randomBytes } from "node:crypto"
import { link, lstat, mkdir, rename, rm, rmdir, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pause } from "../../seams/pause.ts"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { Context } from "../process/context.ts"
import { namesIn } from "../process/files.ts"

/*
 * Git locks a file by creating another next to it with the suffix `.lock`. This service makes a folder of that name, which locks out git in the same way, and holds one file: the token. Its name is
 * used once, its content is the new value, and moving it onto the locked file is the change. Who removes the token has taken the lock: its holder can't change anything any more, however long
 * it was stopped between two steps. A folder without a token is a lock that no one holds. Every lock is made and filled under another name, so that it appears with its token.
 */

/** Longer than any git command that changes references may take, in milliseconds: `commandMs`, and 20 for each of the 30,000 that one push may change at most. */
const LONGEST_HELD_MS = 900_000

/** How long a lock of this service may be held before another takes it, in milliseconds. */
const OWN_HELD_MS = 5_000

/** How long to wait for a lock that is held, in milliseconds: as long as git waits. */
const WAIT_MS = 100
const PAUSE_MS = 5

/** Locks that are looked at at once. */
const BATCH = 64

/** A lock, or a folder that is to become one. */
export interface Lock {
  readonly path: string
  /** The name of the file in it. */
  readonly token: string
}

/** Makes the token of a lock at a path. */
type Fill = (path: string) => Promise<void>

/** Makes a folder that is to become a lock. Throws the file system's `ENOENT` where there is no such repository. */
export async function newLock(repository: Repository, token: string, fill: Fill, name = randomName()): Promise<Lock> {
  const lock = { path: lockName(repository, name), token }
  await mkdir(lock.path)
  try {
    await fill(join(lock.path, token))
    return lock
  } catch (error) {
    await release(lock)
    throw error
  }
}

/** Makes it the lock of a file; undefined while another holds that. Throws the file system's `ENOENT`, and `ENOTDIR` where a file has the name of one of its folders. */
export async function take({ path, token }: Lock, file: string): Promise<Lock | undefined> {
  const taken = { path: `${file}.lock`, token }
  try {
    await rename(path, taken.path)
    return taken
  } catch (error) {
    if (hasCode(error, "EEXIST", "ENOTEMPTY")) return undefined
    // A lock of git's.
    if (hasCode(error, "ENOTDIR") && (await statusOf(taken.path)) !== undefined) return undefined
    throw error
  }
}

/** Replaces the file by the token, and gives the lock back. Throws `conflict` where another has taken the lock meanwhile; then nothing has changed. */
export async function publish({ path, token }: Lock, file: string): Promise<void> {
  if (pause) await pause("file.rename")
  try {
    await rename(join(path, token), file)
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw new GitError("conflict", "writing a reference took too long", lockHeld(path))
    throw error
  }
  await rmdir(path).catch(() => undefined)
}

/** Gives a lock back; nothing happens where another has taken it. */
export async function release({ path, token }: Lock): Promise<void> {
  await unlink(join(path, token)).catch(() => undefined)
  await rmdir(path).catch(() => undefined)
}

/**
 * Replaces a file under its lock by what `fill` writes. False where `mayReplace`, asked under the lock, says that it may not, and where a reference has the name of one of the folders that the file is in. Throws `conflict`
 * where another process holds the lock or takes it, and `ENOENT` where there is no such repository.
 */
export async function replaceFile(
  context: Context,
  repository: Repository,
  file: string,
  fill: Fill,
  mayReplace: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const lock = await lockFile(context, repository, file, fill)
  if (!lock) return false
  let isHeld = true
  try {
    if (pause) await pause("lock.held")
    if (!(await mayReplace())) return false
    await publish(lock, file)
    isHeld = false
    return true
  } finally {
    if (isHeld) await release(lock)
  }
}

/**
 * Locks a file for a new value, with the folders that it is in; undefined where a reference has the name of one of them. Throws `conflict` while another process holds
 * the lock, and `ENOENT` where there is no such repository.
 */
async function lockFile(context: Context, repository: Repository, file: string, fill: Fill): Promise<Lock | undefined> {
  const lock = await newLock(repository, `${context.worker}.${randomName()}.lock`, fill)
  let taken: Lock | undefined
  try {
    if (pause) await pause("lock.take")
    const end = performance.now() + WAIT_MS
    for (;;) {
      try {
        taken = await take(lock, file)
        if (taken) return taken
        if (await removeStaleLock(context, repository, `${file}.lock`)) continue
        await sleep(PAUSE_MS)
      } catch (error) {
        if (hasCode(error, "ENOTDIR")) return undefined
        if (!hasCode(error, "ENOENT") || !(await makeFolder(dirname(file)))) throw error
      }
      if (performance.now() > end)
        throw new GitError("conflict", "a reference is being changed by another process", lockHeld(`${file}.lock`))
    }
  } finally {
    if (!taken) await release(lock)
  }
}

/** Makes the folders of a new reference; git may remove empty ones at the same time. False if a file has that name. */
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
 * Removes a stale lock: one of this service that is old, or whose process has died; one of git's that is very old; and any that is older than this server, if no other uses these repositories.
 * Returns whether the lock is gone.
 */
export async function removeStaleLock(context: Context, repository: Repository, path: string): Promise<boolean> {
  const state = await takeAwayStale(context, repository, path)
  if (state === "removed") context.log({ level: "warn", message: "removed a lock that was left behind", detail: path })
  return state !== "held"
}

type Outcome = "removed" | "gone" | "held"

async function takeAwayStale(context: Context, repository: Repository, path: string): Promise<Outcome> {
  const found = await statusOf(path)
  if (found === undefined) return "gone"
  if (found.isDirectory()) return takeAwayOwn(context, repository, path)
  if (found.mtimeMs >= Math.max(context.aloneSince, Date.now() - LONGEST_HELD_MS)) return "held"
  const aside = lockName(repository, randomName())
  try {
    await rename(path, aside)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "gone"
    throw error
  }
  // Another process may have removed the old lock first, and this is a new one: it is restored for its holder.
  const moved = await statusOf(aside)
  const live = moved?.ino !== found.ino || moved.mtimeMs !== found.mtimeMs
  if (live) await (moved?.isDirectory() ? rename : link)(aside, path).catch(() => undefined)
  await rm(aside, { force: true, recursive: true })
  return live ? "held" : "removed"
}

async function takeAwayOwn(context: Context, repository: Repository, path: string): Promise<Outcome> {
  const tokens = await namesIn(path)
  // After the tokens: a lock that has changed hands in between is younger.
  const since = (await statusOf(path))?.ctimeMs ?? 0
  const isOld = since < Math.max(context.aloneSince, Date.now() - OWN_HELD_MS)
  if (tokens.some((token) => !isOld && !context.dead.has(workerOf(token)))) return "held"
  if (pause) await pause("lock.takeAway")
  for (const token of tokens) {
    for (const other of otherPathsOf(repository, token)) await rm(other, { force: true })
    await rm(join(path, token), { force: true })
  }
  // Another may have taken it meanwhile.
  await rmdir(path).catch(() => undefined)
  return tokens.length > 0 ? "removed" : "gone"
}

const TOGETHER = "together"

/**
 * The token of an update that replaces packed-refs under many locks, and the name of the folder that becomes the lock of packed-refs. The token there decides for all of them: who takes one of the
 * locks removes that first.
 */
export function tokenTogether(context: Context): { readonly token: string; readonly name: string } {
  const name = randomName()
  return { token: `${context.worker}.${name}.${TOGETHER}.lock`, name }
}

/** Where the token may be that decides for locks which are held together, in the order in which it moves. */
function otherPathsOf(repository: Repository, token: string): readonly string[] {
  const [, name, kind] = token.split(".")
  return name === undefined || kind !== TOGETHER
    ? []
    : [join(lockName(repository, name), token), join(repository.directory, "packed-refs.lock", token)]
}

/** The process that made a token. */
const workerOf = (token: string): string => token.split(".", 1)[0] ?? ""

const randomName = (): string => randomBytes(8).toString("hex")

/** A path on the file system of the repository, which git and `doctor` recognise as a lock. */
const lockName = ({ directory }: Repository, name: string): string => join(directory, `hearth-${name}.lock`)

const statusOf = (path: string) =>
  lstat(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  })

/** The message of git, and of this service, that a lock is held. */
export const lockHeld = (path: string): string => `Unable to create '${path}': File exists`

/** The path of the blocking lock in git's message, if it names one; or of the new packed-refs of a git that was killed, which blocks as a lock does. */
export const blockingLock = (words: string): string | undefined =>
  (/Unable to create '([^'\n]+\.lock)': File exists/.exec(words) ??
    /unable to create file ([^\n]+packed-refs\.new): File exists/.exec(words))?.[1]
