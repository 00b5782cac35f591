import { link, mkdir, rename, rm, rmdir, unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { pause } from "../../seams/pause.ts"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import type { ObjectId, RefName } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { writeNewFile } from "../process/files.ts"
import { newLockName, OWN_HELD_MS, removeStaleLocks } from "./locks.ts"
import { readLooseReference, readPackedText } from "./ref-files.ts"

/*
 * Many new references are written into packed-refs together, because git writes and flushes a file for each, which takes milliseconds. It is done as git packs references: each name is
 * locked, then packed-refs; under these locks it is seen that nothing has the names; then one new file replaces packed-refs, so that all of them are there, or none. The locks are names of one
 * empty file, of which nothing is flushed.
 */

/** A reference that isn't there yet. */
export interface NewReference {
  readonly name: RefName
  readonly to: ObjectId
}

/** With fewer, git is as fast. */
export const FEWEST_TOGETHER = 50
/** File systems give a file some 65,000 names at most. */
const MOST_TOGETHER = 60_000
/** What is done at once before others have their turn. */
const BATCH = 64

const HEADER = "# pack-refs with: peeled fully-peeled sorted \n"

/**
 * Creates references, all or none, or returns false where that is left to git, which also finds the words: a name that is taken, locked, or conflicts with another, an object that is missing, a
 * branch that would name no commit. Throws `aborted` when the signal fires; then nothing has changed.
 */
export async function createTogether(
  context: Context,
  repository: Repository,
  references: readonly NewReference[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<boolean> {
  if (references.length > MOST_TOGETHER) return false
  const lines = await linesOf(context, repository, references, signal)
  if (lines === undefined) return false
  const path = join(repository.directory, "packed-refs")
  const folders = foldersOf(repository, references)
  const locks = [...references.map(({ name }) => join(repository.directory, `${name}.lock`)), `${path}.lock`]
  const lockFile = newLockName(repository)
  const packed = newLockName(repository)
  const begin = performance.now()
  const held: string[] = []
  try {
    await writeFile(lockFile, "", { flag: "wx" })
    for (const folder of folders) await mkdir(folder, { recursive: true })
    if (!(await takeLocks(context, repository, lockFile, locks, held, signal))) return false
    if (pause) await pause("lock.held")
    const content = await merged(await readPackedText(repository), lines)
    if (content === undefined) return false
    await writeNewFile(context, packed, Buffer.from(content, "latin1"))
    if (!(await areWithoutFile(repository, references))) return false
    // Another process may have removed these locks as stale.
    if (performance.now() - begin > OWN_HELD_MS / 2) return false
    if (signal?.aborted) throw new GitError("aborted", "the client is gone")
    if (pause) await pause("file.rename")
    await rename(packed, path)
    return true
  } catch (error) {
    // A reference has the name of a folder, or another process has removed one; the file has all the names that it may have.
    if (hasCode(error, "EEXIST", "ENOTDIR", "ENOENT", "EISDIR", "EMLINK", "ENAMETOOLONG", "EPERM", "ENOTSUP")) return false
    throw error
  } finally {
    for (let start = 0; start < held.length; start += BATCH)
      await Promise.all(held.slice(start, start + BATCH).map((lock) => unlink(lock).catch(() => undefined)))
    await rm(packed, { force: true })
    await rm(lockFile, { force: true })
    // What is in use isn't empty.
    for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined)
  }
}

/** The folders of the references, those above others first, without `refs/heads` and the like, which stay. */
function foldersOf({ directory }: Repository, references: readonly NewReference[]): readonly string[] {
  const found = new Set<string>()
  for (const { name } of references) for (const folder of foldersAbove(name)) found.add(folder)
  return [...found].sort().map((folder) => join(directory, folder))
}

/** `refs/tags/a`, `refs/tags/a/b` of `refs/tags/a/b/c`. */
const foldersAbove = (name: string): readonly string[] => {
  const parts = name.split("/")
  return parts.slice(3).map((_, index) => parts.slice(0, index + 3).join("/"))
}

/** Takes all locks, and notes in `held` those that it has; false where one of them is another's. */
async function takeLocks(
  context: Context,
  repository: Repository,
  file: string,
  locks: readonly string[],
  held: string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const take = async (lock: string): Promise<unknown> => {
    try {
      await link(file, lock)
      held.push(lock)
      return undefined
    } catch (error) {
      return error
    }
  }
  let isSwept = false
  for (let start = 0; start < locks.length; start += BATCH) {
    if (signal?.aborted) throw new GitError("aborted", "the client is gone")
    const batch = locks.slice(start, start + BATCH)
    const errors = await Promise.all(batch.map(take))
    const other = errors.find((error) => error !== undefined && !hasCode(error, "EEXIST"))
    if (other !== undefined) throw other
    const taken = batch.filter((_, index) => errors[index] !== undefined)
    if (taken.length === 0) continue
    if (isSwept) return false
    isSwept = true
    await removeStaleLocks(context, repository, locks.slice(start))
    for (const lock of taken) if ((await take(lock)) !== undefined) return false
  }
  return true
}

/** A line of packed-refs, and with the id that a tag leads to a second one. Names are bytes, as characters of Latin-1. */
interface Line {
  readonly name: string
  readonly text: string
}

/** The lines of new references, sorted; undefined for what can't be named. */
async function linesOf(
  context: Context,
  repository: Repository,
  references: readonly NewReference[],
  signal: AbortSignal | undefined,
): Promise<readonly Line[] | undefined> {
  const ids = [...new Set(references.map(({ to }) => to))]
  const input = ids.map((id) => `${id}\n${id}^{}\n`).join("")
  const flags = ["--batch-check=%(objectname) %(objecttype)", "--buffer"]
  const { stdout } = await context.processes.run({ name: "cat-file", flags }, { repository, input, ...(signal && { signal }) })
  const answers = stdout.toString("latin1").split("\n")
  const peeled = new Map<ObjectId, string>()
  const commits = new Set<ObjectId>()
  for (const [index, id] of ids.entries()) {
    const [own = "", end = ""] = answers.slice(index * 2)
    if (own.endsWith(" missing") || end.endsWith(" missing")) return undefined
    if (own.endsWith(" commit")) commits.add(id)
    if (own.endsWith(" tag")) peeled.set(id, end.split(" ", 1)[0] ?? "")
  }
  if (references.some(({ name, to }) => name.startsWith("refs/heads/") && !commits.has(to))) return undefined
  return references
    .map(({ name, to }) => {
      const bytes = Buffer.from(name).toString("latin1")
      const end = peeled.get(to)
      return { name: bytes, text: `${to} ${bytes}\n${end === undefined ? "" : `^${end}\n`}` }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The text of packed-refs with new lines; undefined where a name is taken or conflicts with another, and for a text of an old form. */
async function merged(text: string, lines: readonly Line[]): Promise<string | undefined> {
  const header = text === "" ? HEADER : text.slice(0, text.indexOf("\n") + 1)
  if (!/^# pack-refs with:.* fully-peeled .*sorted /.test(header)) return undefined
  const added = new Set(lines.map(({ name }) => name))
  const folders = new Set(lines.flatMap(({ name }) => foldersAbove(name)))
  const at = (name: string): { readonly start: number; readonly found: string } => positionOf(text, name, text === "" ? 0 : header.length)
  if (added.size < lines.length) return undefined
  for (const folder of folders) if (added.has(folder) || at(folder).found === folder) return undefined
  const parts: string[] = text === "" ? [HEADER] : []
  let copied = 0
  for (const [index, line] of lines.entries()) {
    if (index % BATCH === BATCH - 1) await setImmediate()
    const { start, found } = at(line.name)
    if (found === line.name || at(`${line.name}/`).found.startsWith(`${line.name}/`)) return undefined
    parts.push(text.slice(copied, start), line.text)
    copied = start
  }
  parts.push(text.slice(copied))
  return parts.join("")
}

/** Where a name stands in a sorted text, or would stand, and the name that is there. */
function positionOf(text: string, name: string, from: number): { readonly start: number; readonly found: string } {
  let low = from
  let high = text.length
  while (low < high) {
    let start = text.lastIndexOf("\n", Math.floor((low + high) / 2) - 1) + 1
    // A line of its own says what a tag leads to.
    if (text[start] === "^") start = text.lastIndexOf("\n", start - 2) + 1
    if (nameAt(text, start) < name) low = endOf(text, start)
    else high = start
  }
  return { start: low, found: low < text.length ? nameAt(text, low) : "" }
}

const nameAt = (text: string, start: number): string => text.slice(text.indexOf(" ", start) + 1, text.indexOf("\n", start))

/** Where the next reference stands. */
function endOf(text: string, start: number): number {
  const next = text.indexOf("\n", start) + 1
  return text[next] === "^" ? text.indexOf("\n", next) + 1 : next
}

/** Whether none of the references has a file, nor a folder of its name. */
async function areWithoutFile(repository: Repository, references: readonly NewReference[]): Promise<boolean> {
  for (const [index, { name }] of references.entries()) {
    if (index % BATCH === BATCH - 1) await setImmediate()
    if ((await readLooseReference(repository, name)) !== undefined) return false
  }
  return true
}
