import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { GitError, hasCode } from "../model/errors.ts"
import type { Reference, Repository } from "../model/model.ts"
import { isObjectId, isRefName, type ObjectId, type RefName } from "../model/names.ts"

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

/** The loose references in a folder and below, by name; symbolic ones are left out. */
async function readLoose(repository: Repository, folder: string, into: Map<RefName, ObjectId>): Promise<void> {
  const entries = await readdir(join(repository.directory, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return []
    throw error
  })
  for (const entry of entries) {
    if (entry.name.endsWith(".lock")) continue
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) await readLoose(repository, name, into)
    else if (isRefName(name)) {
      const id = (await readIfThere(join(repository.directory, name)))?.toString("latin1").trim()
      if (id !== undefined && isObjectId(id, repository.format)) into.set(name, id)
    }
  }
}

/** With more files of references, or bytes of packed ones, reading them takes longer than running git. */
const MOST_FILES = 128
const MOST_PACKED_BYTES = 256 * 1024

/** The paths of all files below a folder, or undefined where there are too many. */
async function filesBelow(path: string): Promise<readonly string[] | undefined> {
  const found: string[] = []
  const folders = [path]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return []
      throw error
    })
    for (const entry of entries) if (!entry.name.endsWith(".lock")) (entry.isDirectory() ? folders : found).push(join(folder, entry.name))
    if (found.length + folders.length > MOST_FILES) return undefined
  }
  return found.sort()
}

/**
 * A digest of HEAD and all references, which changes whenever one of them does; undefined if there are many of them, or no such repository.
 * Starts no process.
 */
export async function fingerprint({ directory }: Repository): Promise<string | undefined> {
  const head = await readIfThere(join(directory, "HEAD"))
  const files = await filesBelow(join(directory, "refs"))
  if (head === undefined || files === undefined) return undefined
  const hash = createHash("sha256").update(head)
  for (const file of files) hash.update(`\0${file}\0`).update((await readIfThere(file)) ?? "")
  const packed = await readIfThere(join(directory, "packed-refs"))
  if (packed !== undefined && packed.length > MOST_PACKED_BYTES) return undefined
  return hash
    .update("\0\0")
    .update(packed ?? "")
    .digest("base64")
}

/** The packed references as they are written, a character for each byte. */
export const readPackedText = async ({ directory }: Repository): Promise<string> =>
  (await readIfThere(join(directory, "packed-refs")))?.toString("latin1") ?? ""

async function readPacked(repository: Repository): Promise<readonly Reference[]> {
  const text = (await readIfThere(join(repository.directory, "packed-refs")))?.toString("utf8") ?? ""
  const width = repository.format === "sha1" ? 40 : 64
  return text.split("\n").flatMap((line) => {
    const id = line.slice(0, width)
    const name = line.slice(width + 1)
    return line[width] === " " && isObjectId(id, repository.format) && isRefName(name) ? [{ name, id }] : []
  })
}

const byName = (a: Reference, b: Reference): number => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))

/** The text of packed-refs that has just these references. Git finds out itself what tags lead to. */
export const packedText = (references: readonly Reference[]): string =>
  `# pack-refs with: sorted \n${references
    .toSorted(byName)
    .map(({ name, id }) => `${id} ${name}\n`)
    .join("")}`

/** References sorted by the bytes of their names. `prefix` must begin with `refs/` and end in a slash. Throws `invalid`, `missing`. */
export async function listReferences(repository: Repository, prefix = "refs/"): Promise<readonly Reference[]> {
  const folder = prefix.replace(/\/$/, "")
  if (!prefix.endsWith("/") || (folder !== "refs" && !isRefName(folder)) || !prefix.startsWith("refs/")) {
    throw new GitError("invalid", "not a prefix of references", prefix.slice(0, 200))
  }
  const loose = new Map<RefName, ObjectId>()
  await readLoose(repository, folder, loose)
  const packed = await readPacked(repository)
  if (loose.size === 0 && packed.length === 0 && (await readIfThere(join(repository.directory, "HEAD"))) === undefined) {
    throw new GitError("missing", "no such repository", repository.key)
  }
  const all = new Map<RefName, ObjectId>(packed.filter(({ name }) => name.startsWith(prefix)).map(({ name, id }) => [name, id]))
  for (const [name, id] of loose) all.set(name, id)
  for (const [name, id] of repository.moved ?? []) {
    if (id === null) all.delete(name)
    else if (name.startsWith(prefix)) all.set(name, id)
  }
  return [...all].map(([name, id]) => ({ name, id })).sort(byName)
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

/** Files that are read at once before others have their turn. */
const AT_ONCE = 64

/** The objects that references name, as `resolveReference` finds them. The packed ones are read once for all. */
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
  if (left.size === 0) return found
  const [only, ...others] = left
  if (only !== undefined && others.length === 0) {
    const id = await resolvePacked(repository, only)
    if (id !== undefined) found.set(only, id)
  } else for (const { name, id } of await readPacked(repository)) if (left.has(name)) found.set(name, id)
  return found
}

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
  const parents = name.split("/").map((_, index, parts) => parts.slice(0, index).join("/"))
  return (await readPacked(repository)).every((packed) => !packed.name.startsWith(`${name}/`) && !parents.includes(packed.name))
}

/** The object that a packed reference names. */
export async function resolvePacked(repository: Repository, name: string): Promise<ObjectId | undefined> {
  const packed = await readIfThere(join(repository.directory, "packed-refs"))
  const at = packed?.indexOf(` ${name}\n`) ?? -1
  const id =
    at === -1
      ? ""
      : (packed
          ?.subarray(0, at)
          .toString("latin1")
          .slice(-(repository.format === "sha1" ? 40 : 64)) ?? "")
  return isObjectId(id, repository.format) ? id : undefined
}
