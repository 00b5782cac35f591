import { randomBytes } from "node:crypto"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pause } from "../../seams/pause.ts"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { branchRef, type ObjectFormat, type RefName } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { directorySize, linkOrCopy, syncFiles, writeNewFile } from "../process/files.ts"
import { replaceFile } from "../refs/locks.ts"
import { listReferences, packedText } from "../refs/ref-files.ts"
import { isExact, packFrom } from "./left-behind.ts"

/** How the object directory of a push that is not accepted yet is named. Git's own name, so that `git prune` removes those that a crash left. */
export const quarantinePrefix = "tmp_objdir-incoming-"

/** The repository at a storage key. Throws `invalid` for a key that is not one to four plain components. */
export function locate(context: Context, key: string, format: ObjectFormat): Repository {
  const component = /^[a-z0-9][a-z0-9_-]{0,99}$/
  const components = key.split("/")
  if (components.length > 4 || !components.every((part) => component.test(part))) {
    throw new GitError("invalid", "not a repository's storage key", key.slice(0, 200))
  }
  // The suffix prevents one key from being inside another's directory.
  return { key, directory: `${join(context.root, ...components)}.git`, format }
}

/** The repository at a storage key, with the format that its configuration says. Throws `invalid`, `missing`. */
export async function openRepository(context: Context, key: string): Promise<Repository> {
  const repository = locate(context, key, "sha1")
  const config = await readFile(join(repository.directory, "config"), "utf8").catch((error: unknown) => {
    throw hasCode(error, "ENOENT", "ENOTDIR") ? new GitError("missing", "no such repository", key) : error
  })
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? { ...repository, format: "sha256" } : repository
}

function configText(format: ObjectFormat): string {
  const version = format === "sha256" ? 1 : 0
  const extensions = format === "sha256" ? "[extensions]\n\tobjectformat = sha256\n" : ""
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${extensions}`
}

const folders = ["", "objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags"] as const

/**
 * Writes the files of an empty bare repository. Synchronously: ten small calls take a fifth of a millisecond, while as many trips through the
 * thread pool take two milliseconds of processor time.
 */
export function writeSkeleton(directory: string, format: ObjectFormat, head: RefName): void {
  for (const folder of folders) mkdirSync(join(directory, folder))
  writeFileSync(join(directory, "HEAD"), `ref: ${head}\n`)
  writeFileSync(join(directory, "config"), configText(format))
}

/** Moves a finished directory to its place, making the folders above it the first time. */
function moveIntoPlace(temporary: string, directory: string): void {
  try {
    renameSync(temporary, directory)
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error
    mkdirSync(dirname(directory), { recursive: true })
    renameSync(temporary, directory)
  }
}

/** Creates a bare repository under a temporary name, calls `fill` to add more, and renames it into place. */
async function build(
  context: Context,
  repository: Repository,
  head: RefName,
  fill?: (directory: string) => Promise<void>,
): Promise<Repository> {
  const temporary = join(context.root, `.new-${randomBytes(12).toString("hex")}`)
  try {
    writeSkeleton(temporary, repository.format, head)
    await fill?.(temporary)
    if (context.durable) await syncFiles(["HEAD", "config"].map((name) => join(temporary, name)))
    // A directory that is not empty is never replaced, so the second of two callers fails without harm.
    moveIntoPlace(temporary, repository.directory)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw hasCode(error, "ENOTEMPTY", "EEXIST") ? new GitError("exists", "the repository exists", repository.key) : error
  }
  return repository
}

/** Makes an empty bare repository whose HEAD names the branch `options.branch`. Starts no process. Throws `exists`, `invalid`. */
export function createRepository(
  context: Context,
  key: string,
  options: { readonly format: ObjectFormat; readonly branch: string },
): Promise<Repository> {
  return build(context, locate(context, key, options.format), branchRef(options.branch))
}

/** Removes a repository; a missing one is no error. It disappears in one step, whatever its size. */
export async function removeRepository(context: Context, repository: Repository): Promise<void> {
  await context.readers.closeRepository(repository)
  const doomed = join(context.root, `.old-${randomBytes(12).toString("hex")}`)
  try {
    if (pause) await pause("file.rename")
    await rename(repository.directory, doomed)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return
    throw error
  }
  if (pause) await pause("file.remove")
  await rm(doomed, { recursive: true, force: true, maxRetries: 3 })
}

/** Removes repositories that were being created or removed when a process was killed, if older than an hour. */
export async function sweepRepositories(context: Context): Promise<void> {
  const names = (await readdir(context.root)).filter((name) => /^\.(new|old)-[0-9a-f]{24}$/.test(name))
  for (const name of names) {
    const path = join(context.root, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > 3_600_000) await rm(path, { recursive: true, force: true })
  }
}

/** Whether a repository exists. */
export async function existsRepository(repository: Repository): Promise<boolean> {
  try {
    return (await stat(join(repository.directory, "HEAD"))).isFile()
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false
    throw error
  }
}

/** The bytes that a repository's files take, without pushes that are not accepted yet. Throws `missing`. */
export async function repositorySize(repository: Repository): Promise<number> {
  if (!(await existsRepository(repository))) throw new GitError("missing", "no such repository", repository.key)
  return directorySize(repository.directory, (name) => name.startsWith("tmp_"))
}

async function linkObjects(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (!entry.isDirectory() || !/^([0-9a-f]{2}|pack)$/.test(entry.name)) continue
    const names = await readdir(join(from, entry.name))
    await mkdir(join(to, entry.name), { recursive: true })
    for (const name of names) {
      if (/^[0-9a-f]{38}$|^[0-9a-f]{62}$|^pack-[0-9a-f]+\.(pack|idx|rev|bitmap|mtimes)$/.test(name)) {
        await linkOrCopy(join(from, entry.name, name), join(to, entry.name, name))
      }
    }
  }
}

/** Links all object files of a repository into another one. */
async function linkAll(from: Repository, to: Repository): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await linkObjects(join(from.directory, "objects"), join(to.directory, "objects"))
    } catch (error) {
      // A repack has removed the file; its replacement existed before.
      if (attempt === 5 || !hasCode(error, "ENOENT")) throw error
    }
  }
}

/**
 * Makes a copy of a repository with the references that `keep` chooses and what they reach, as a clone would have it, that shares no storage that git knows
 * of: either may be removed or repacked alone. Where the source stores nothing else, its files, which never change, are hard-linked if the file system allows;
 * otherwise, as after a force-push, one pack is made. One or two processes. Throws `missing`, `exists`.
 */
export async function forkRepository(
  context: Context,
  from: Repository,
  key: string,
  keep: (ref: RefName) => boolean,
): Promise<Repository> {
  const head = await readHead(from)
  const target = locate(context, key, from.format)
  if (await existsRepository(target)) throw new GitError("exists", "the repository exists", key)
  return build(context, target, head, async (directory) => {
    // References first: whatever they name is in the store by then, and stays there.
    const references = (await listReferences(from)).filter((reference) => keep(reference.name))
    if (references.length === 0) return
    await writeNewFile(context, join(directory, "packed-refs"), packedText(references))
    const copy: Repository = { ...target, directory }
    await linkAll(from, copy)
    if (await isExact(context, copy)) return
    const objects = join(directory, "objects")
    await rm(objects, { recursive: true })
    for (const folder of ["", "info", "pack"]) await mkdir(join(objects, folder))
    await packFrom(
      context,
      from,
      references.map(({ id }) => id),
      copy,
    )
  })
}

/** The reference that HEAD names, whether or not it exists. Throws `missing`, and `failed` for a HEAD that names none. */
export async function readHead(repository: Repository): Promise<RefName> {
  const text = await readFile(join(repository.directory, "HEAD"), "utf8").catch((error: unknown) => {
    throw hasCode(error, "ENOENT", "ENOTDIR") ? new GitError("missing", "no such repository", repository.key) : error
  })
  const name = /^ref: *(refs\/heads\/.+?)\s*$/.exec(text)?.[1]
  if (name === undefined) throw new GitError("failed", "HEAD names no branch", text.slice(0, 200))
  return branchRef(name.slice("refs/heads/".length))
}

/** Makes HEAD name another branch, whether or not it exists, under git's own lock. Throws `conflict` when another process holds the lock, `invalid`. */
export async function setHead(context: Context, repository: Repository, ref: RefName): Promise<void> {
  if (!ref.startsWith("refs/heads/")) throw new GitError("invalid", "HEAD can name only a branch", ref)
  const path = join(repository.directory, "HEAD")
  const missing = () => new GitError("missing", "no such repository", repository.key)
  const fill = (file: string) => writeNewFile(context, file, `ref: ${ref}\n`)
  const isReplaced = await replaceFile(context, repository, path, fill).catch((error: unknown) => {
    throw hasCode(error, "ENOENT", "ENOTDIR") ? missing() : error
  })
  if (!isReplaced) throw missing()
}

/**
 * A read-only view of the objects of both, to compare one with the other. References are those of the first. Its results are cached under a separate
 * key, so that neither repository is taken to have what only the other has.
 * Throws `invalid` when their formats differ.
 */
export function combinedView(repository: Repository, other: Repository): Repository {
  if (repository.format !== other.format) throw new GitError("invalid", "objects of different formats can't be seen together")
  const borrows = [...(repository.borrows ?? []), join(other.directory, "objects"), ...(other.borrows ?? [])]
  return { ...repository, key: `${repository.key}+${other.key}`, borrows, parts: [repository, other] }
}
