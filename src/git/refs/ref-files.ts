import { createHash } from "node:crypto"
import { type Dirent, readdirSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { GitError, hasCode } from "../model/errors.ts"
import type { Reference, Repository } from "../model/model.ts"
import { isObjectId, isRefName, type ObjectId, type RefName } from "../model/names.ts"
import { digestOf, hasPackedBelow, packedBelow, packedId, readPackedFile } from "./packed-file.ts"

/*
 * References are read from their files here, because a process costs a hundred times as much and every page needs one. That is safe:
 * repositories are made by this program, always with the "files" back end. Loose files are read before packed-refs, the order in which git
 * moves references from the one to the other, so that none is missed.
 */

/** The file system can't hold the name, so no reference has it. */
const NOBODYS = ["ENOENT", "ENOTDIR", "EISDIR", "ENAMETOOLONG"] as const

/**
 * The content of the file of one reference, or undefined. Read synchronously: it is one line, and four trips through the thread pool would take ten
 * times as long, for every page and six times for a push.
 */
function lineOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim()
  } catch (error) {
    if (hasCode(error, ...NOBODYS)) return undefined
    throw error
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (hasCode(error, ...NOBODYS)) return undefined
    throw error
  }
}

/** Files that are read at once before others have their turn. */
const AT_ONCE = 64

/** The files of references in a folder and below, in no order: their names and what is in them. Locks are none. */
async function* looseFiles({ directory }: Repository, folder: string): AsyncGenerator<readonly [name: string, content: string]> {
  let read = 0
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop())
    for (const entry of entriesOf(join(directory, next))) {
      if (entry.name.endsWith(".lock")) continue
      const name = `${next}/${entry.name}`
      if (entry.isDirectory()) {
        folders.push(name)
        continue
      }
      if (++read % AT_ONCE === 0) await setImmediate()
      const content = lineOf(join(directory, name))
      if (content !== undefined) yield [name, content]
    }
}

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return []
    throw error
  }
}

/** The loose references in a folder and below, by name; symbolic ones are left out. */
export async function looseReferences(repository: Repository, folder = "refs"): Promise<Map<RefName, ObjectId>> {
  const found = new Map<RefName, ObjectId>()
  for await (const [name, id] of looseFiles(repository, folder))
    if (isRefName(name) && isObjectId(id, repository.format)) found.set(name, id)
  return found
}

/** Whether more references than this have a file of their own. */
export function hasMoreLoose({ directory }: Repository, most: number): boolean {
  let found = 0
  const folders = [join(directory, "refs")]
  for (let next = folders.pop(); next !== undefined && found <= most; next = folders.pop())
    for (const entry of entriesOf(next)) {
      if (entry.isDirectory()) folders.push(join(next, entry.name))
      else if (!entry.name.endsWith(".lock")) found += 1
    }
  return found > most
}

/** With more files of references, reading them takes longer than running git. */
const MOST_FILES = 128

/**
 * A digest of HEAD and all references, which changes whenever one of them does; undefined where many have files of their own, or there is no such repository.
 * Starts no process.
 */
export async function fingerprint(repository: Repository): Promise<string | undefined> {
  const head = await readIfThere(join(repository.directory, "HEAD"))
  if (head === undefined) return undefined
  const files: string[] = []
  for await (const [name, content] of looseFiles(repository, "refs")) {
    files.push(`\0${name}\0${content}`)
    if (files.length > MOST_FILES) return undefined
  }
  const hash = createHash("sha256").update(head)
  for (const file of files.sort()) hash.update(file)
  return hash
    .update("\0\0")
    .update(digestOf(readPackedFile(repository)))
    .digest("base64")
}

/** The packed references as they are written, a character for each byte. */
export const readPackedText = async ({ directory }: Repository): Promise<string> =>
  (await readIfThere(join(directory, "packed-refs")))?.toString("latin1") ?? ""

/** Sorted by the bytes of their names. */
function sortedByName(references: readonly Reference[]): readonly Reference[] {
  const named = references.map((reference) => ({ reference, bytes: Buffer.from(reference.name).toString("latin1") }))
  return named.sort((a, b) => (a.bytes < b.bytes ? -1 : a.bytes > b.bytes ? 1 : 0)).map(({ reference }) => reference)
}

/** The text of packed-refs that has just these references. Git finds out itself what tags lead to. */
export const packedText = (references: readonly Reference[]): string =>
  `# pack-refs with: sorted \n${sortedByName(references)
    .map(({ name, id }) => `${id} ${name}\n`)
    .join("")}`

/** References sorted by the bytes of their names. `prefix` must begin with `refs/` and end in a slash. Throws `invalid`, `missing`. */
export async function listReferences(repository: Repository, prefix = "refs/"): Promise<readonly Reference[]> {
  const folder = prefix.replace(/\/$/, "")
  if (!prefix.endsWith("/") || (folder !== "refs" && !isRefName(folder)) || !prefix.startsWith("refs/")) {
    throw new GitError("invalid", "not a prefix of references", prefix.slice(0, 200))
  }
  const changed: Map<RefName, ObjectId | null> = await looseReferences(repository, folder)
  const packed = readPackedFile(repository)
  if (changed.size === 0 && packed.lines.length === 0 && (await readIfThere(join(repository.directory, "HEAD"))) === undefined) {
    throw new GitError("missing", "no such repository", repository.key)
  }
  for (const [name, id] of repository.moved ?? []) if (name.startsWith(prefix)) changed.set(name, id)
  const found: Reference[] = []
  let listed = 0
  for (const [name, id] of packedBelow(packed, prefix)) {
    if (++listed % LISTED_AT_ONCE === 0) await setImmediate()
    if (!changed.has(name)) found.push({ name, id })
  }
  if (changed.size === 0) return found
  for (const [name, id] of changed) if (id !== null) found.push({ name, id })
  return sortedByName(found)
}

/** The object that a reference (or HEAD) names, through symbolic references, or undefined when it is not there or the repository isn't. */
export async function resolveReference(repository: Repository, name: RefName | "HEAD"): Promise<ObjectId | undefined> {
  let current: RefName | "HEAD" = name
  for (let depth = 0; depth < 5; depth += 1) {
    if (current !== "HEAD" && !current.startsWith("refs/")) return undefined
    const moved = current === "HEAD" ? undefined : repository.moved?.get(current)
    if (moved !== undefined) return moved ?? undefined
    const loose = lineOf(join(repository.directory, current))
    if (loose === undefined) return resolvePacked(repository, current)
    if (isObjectId(loose, repository.format)) return loose
    const target = /^ref:\s*(.+)$/.exec(loose)?.[1]
    if (target === undefined || !isRefName(target)) return undefined
    current = target
  }
  return undefined
}

/** The objects that references name, as `resolveReference` finds them. */
export async function resolveReferences(repository: Repository, names: readonly RefName[]): Promise<ReadonlyMap<RefName, ObjectId>> {
  const found = new Map<RefName, ObjectId>()
  const left = new Set<RefName>()
  for (const [index, name] of names.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate()
    const loose = lineOf(join(repository.directory, name))
    const id = loose === undefined || isObjectId(loose, repository.format) ? loose : await resolveReference(repository, name)
    if (loose === undefined) left.add(name)
    else if (id !== undefined && isObjectId(id, repository.format)) found.set(name, id)
  }
  const packed = readPackedFile(repository)
  for (const name of left) {
    const id = packedId(packed, name)
    if (id !== undefined) found.set(name, id)
  }
  return found
}

/** References that are listed at once before others have their turn. */
const LISTED_AT_ONCE = 5_000

/** The content of a reference's file: its text, "directory", or undefined if it has none. */
export async function readLooseReference(repository: Repository, name: RefName): Promise<string | undefined> {
  try {
    return readFileSync(join(repository.directory, name), "latin1").trim()
  } catch (error) {
    if (hasCode(error, "EISDIR")) return "directory"
    if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined
    throw error
  }
}

/** Whether no packed reference conflicts with a new one: none that would be its directory, and none below it. */
export async function isNameFree(repository: Repository, name: RefName): Promise<boolean> {
  const packed = readPackedFile(repository)
  const parents = name.split("/").map((_, index, parts) => parts.slice(0, index).join("/"))
  return !hasPackedBelow(packed, `${name}/`) && parents.every((folder) => packedId(packed, folder) === undefined)
}

/** The object that a packed reference names. */
export const resolvePacked = async (repository: Repository, name: string): Promise<ObjectId | undefined> =>
  packedId(readPackedFile(repository), name)
