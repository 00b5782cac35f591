import { randomBytes } from "node:crypto"
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { GitError, hasCode } from "../model/errors.ts"
import type { Reference, Repository } from "../model/model.ts"
import { branchRef, isHiddenRef, type ObjectFormat } from "../model/names.ts"
import type { Context } from "../process/context.ts"
import { linkOrCopy, namesIn } from "../process/files.ts"
import { listReferences, packedText } from "../refs/ref-files.ts"
import { existsRepository, locate, writeSkeleton } from "./repository.ts"

/*
 * Repositories of a server whose place this one takes. Unlike those of the import folder they are taken as they are, damaged ones too: the operator of both is
 * the same. Neither their configuration nor their hooks come along, and git never runs in them.
 */

export interface BringOptions {
  /** The branch that HEAD is to name. */
  readonly branch: string
  /** Files of objects, which never change, become hard links where the file system can. */
  readonly link: boolean
  /** Where the folder of other objects is that the repository borrows from. */
  readonly placeOf: (path: string) => string
}

export interface Brought {
  readonly repository: Repository
  readonly references: readonly Reference[]
  /** It has borrowed objects from another one, and has them itself now. */
  readonly hasBorrowed: boolean
}

const DEEPEST = 5
const OBJECT_FOLDER = /^[0-9a-f]{2}$/
const LOOSE = /^([0-9a-f]{38}|[0-9a-f]{62})$/
const PACK = /^pack-[0-9a-f]+\.(pack|idx|rev|bitmap|mtimes)$/

/** The format of a bare repository in a folder. Throws `missing` where there is none. */
async function formatOf(folder: string): Promise<ObjectFormat> {
  try {
    await stat(join(folder, "objects"))
    const config = await readFile(join(folder, "config"), "latin1").catch(() => "")
    return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? "sha256" : "sha1"
  } catch (error) {
    throw hasCode(error, "ENOENT", "ENOTDIR") ? new GitError("missing", "no such folder", folder) : error
  }
}

/** The references of such a folder, without those that only this service writes. Throws `missing`. */
export async function foreignReferences(folder: string): Promise<readonly Reference[]> {
  const format = await formatOf(folder)
  const references = await listReferences({ key: "", directory: folder, format }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return []
    throw error
  })
  return references.filter(({ name }) => !isHiddenRef(name))
}

/**
 * Makes the repository at a key what the one in a folder is: objects first, then all references at once. What is here beyond that is left behind, as after a
 * force-push. Throws `missing`. Can be ended at any moment, and done again.
 */
export async function bringRepository(context: Context, folder: string, key: string, options: BringOptions): Promise<Brought> {
  const format = await formatOf(folder)
  const target = locate(context, key, format)
  const references = await foreignReferences(folder)
  if (!(await existsRepository(target))) await make(context, target, options)
  const borrowed = await bringObjects(folder, join(target.directory, "objects"), options, 0)
  await replaceReferences(target, references)
  await writeFile(join(target.directory, "HEAD"), `ref: ${branchRef(options.branch)}\n`)
  await context.readers.closeRepository(target)
  return { repository: target, references, hasBorrowed: borrowed }
}

async function make(context: Context, target: Repository, { branch }: BringOptions): Promise<void> {
  const temporary = join(context.root, `.new-${randomBytes(12).toString("hex")}`)
  try {
    writeSkeleton(temporary, target.format, branchRef(branch))
    await mkdir(join(target.directory, ".."), { recursive: true })
    await rename(temporary, target.directory)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Brings the object files that are missing, also those of folders that this one borrows from. Says whether it borrows. */
async function bringObjects(folder: string, to: string, options: BringOptions, depth: number): Promise<boolean> {
  const from = depth === 0 ? join(folder, "objects") : folder
  const groups = await namesIn(from)
  for (const group of groups) {
    const wanted = group === "pack" ? PACK : OBJECT_FOLDER.test(group) ? LOOSE : undefined
    if (wanted === undefined) continue
    const names = (await namesIn(join(from, group))).filter((name) => wanted.test(name))
    if (names.length === 0) continue
    await mkdir(join(to, group), { recursive: true })
    const known = new Set(await readdir(join(to, group)))
    // The index makes git see a pack: it comes last.
    const missing = names.filter((name) => !known.has(name)).toSorted((a, b) => Number(a.endsWith(".idx")) - Number(b.endsWith(".idx")))
    for (const name of missing) await bringFile(join(from, group, name), join(to, group, name), options.link)
  }
  const written = await readFile(join(from, "info", "alternates"), "utf8").catch(() => "")
  const others = written.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  if (depth < DEEPEST) for (const other of others) await bringObjects(options.placeOf(resolve(from, other)), to, options, depth + 1)
  return others.length > 0
}

async function bringFile(from: string, to: string, link: boolean): Promise<void> {
  try {
    if (link) return await linkOrCopy(from, to)
    const draft = `${to}.${randomBytes(6).toString("hex")}.part`
    await copyFile(from, draft)
    await rename(draft, to)
  } catch (error) {
    // Packed anew by the old server since it was listed: the next run brings it.
    if (!hasCode(error, "ENOENT")) throw error
  }
}

/** One file has all references; those in files of their own go, but for the service's. */
async function replaceReferences({ directory }: Repository, references: readonly Reference[]): Promise<void> {
  const packed = join(directory, "packed-refs")
  const draft = `${packed}.${randomBytes(6).toString("hex")}`
  await writeFile(draft, packedText(references.toSorted((a, b) => (a.name < b.name ? -1 : 1))), "latin1")
  await rename(draft, packed)
  for (const group of await namesIn(join(directory, "refs")))
    if (group !== "hearth") await rm(join(directory, "refs", group), { recursive: true, force: true })
  for (const group of ["heads", "tags"]) await mkdir(join(directory, "refs", group), { recursive: true })
}
