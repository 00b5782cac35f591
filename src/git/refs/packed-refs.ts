import { type FileHandle, link, mkdir, open, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { pause } from "../../seams/pause.ts"
import { GitError, hasCode, isGitError } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { foldersAbove, type ObjectId, type RefName } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { type Lock, newLock, publish, release, removeStaleLocks, take, tokenTogether } from "./locks.ts"
import { readLooseReference, readPackedText } from "./ref-files.ts"

/*
 * Many new references are written into packed-refs together, because git writes and flushes a file for each, which takes milliseconds. It is done as git packs references: each name is
 * locked, then packed-refs; under these locks it is seen that nothing has the names; then one new file replaces packed-refs, so that all of them are there, or none. The tokens of all
 * locks are names of that one file, and nothing else is flushed.
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
  const files = references.map(({ name }) => join(repository.directory, name))
  const folders = foldersOf(repository, references)
  const { token, name } = tokenTogether(context)
  const held: Lock[] = []
  let packed: FileHandle | undefined
  try {
    const own = await newLock(
      repository,
      token,
      async (to) => {
        if (pause) await pause("file.open")
        packed = await open(to, "wx", 0o644)
      },
      name,
    )
    held.push(own)
    for (const folder of folders) await mkdir(folder, { recursive: true })
    const takeOne = async (file: string): Promise<Lock | undefined> => {
      const lock = await newLock(repository, token, (to) => link(join(own.path, token), to))
      let taken: Lock | undefined
      try {
        taken = await take(lock, file)
        return taken
      } finally {
        if (!taken) await release(lock)
      }
    }
    if (!(await takeLocks(context, repository, files, takeOne, held, signal))) return false
    // Last, as it moves the file that the others are names of.
    if (!(await takeLocks(context, repository, [path], (file) => take(own, file), held, signal))) return false
    if (pause) await pause("lock.held")
    const content = await merged(await readPackedText(repository), lines)
    if (content === undefined || !packed) return false
    await packed.writeFile(content, "latin1")
    if (pause) await pause("file.flush")
    if (context.durable) await packed.sync()
    if (!(await areWithoutFile(repository, references))) return false
    if (signal?.aborted) throw new GitError("aborted", "the client is gone")
    await publish({ path: `${path}.lock`, token }, path)
    return true
  } catch (error) {
    // Another process has taken one of the locks, which were held for long.
    if (isGitError(error, "conflict")) return false
    // A reference has the name of a folder, or another process has removed one; the file has all the names that it may have.
    if (hasCode(error, "EEXIST", "ENOTDIR", "ENOENT", "EISDIR", "EMLINK", "ENAMETOOLONG", "EPERM", "ENOTSUP")) return false
    throw error
  } finally {
    await packed?.close()
    for (let start = 0; start < held.length; start += BATCH) await Promise.all(held.slice(start, start + BATCH).map(release))
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

/** Takes the locks of all files, each by `take`, and notes in `held` those that it has; false where one of them is another's. */
async function takeLocks(
  context: Context,
  repository: Repository,
  files: readonly string[],
  take: (file: string) => Promise<Lock | undefined>,
  held: Lock[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const isTaken = async (file: string): Promise<boolean> => {
    const taken = await take(file)
    if (taken) held.push(taken)
    return taken !== undefined
  }
  let isSwept = false
  for (let start = 0; start < files.length; start += BATCH) {
    if (signal?.aborted) throw new GitError("aborted", "the client is gone")
    const batch = files.slice(start, start + BATCH)
    // All of them end before anything is thrown: what was taken is noted.
    const outcomes = await Promise.allSettled(batch.map(isTaken))
    const failed = outcomes.find((outcome) => outcome.status === "rejected")
    if (failed) throw failed.reason
    const left = batch.filter((_, index) => outcomes[index]?.status === "fulfilled" && !outcomes[index].value)
    if (left.length === 0) continue
    if (isSwept) return false
    isSwept = true
    const locks = files.slice(start).map((file) => `${file}.lock`)
    await removeStaleLocks(context, repository, locks)
    for (const file of left) if (!(await isTaken(file))) return false
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
