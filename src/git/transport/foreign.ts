import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { lstat, mkdir, open, opendir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { closeQuarantine, isConnected, openQuarantine, takePack } from "../incoming/quarantine.ts"
import { GitError, hasCode } from "../model/errors.ts"
import type { Reference, Repository } from "../model/model.ts"
import { branchOf, branchRef, isMisleadingName, isObjectId, isRefName, type ObjectFormat, tagOf } from "../model/names.ts"
import { objectInfo } from "../objects/objects.ts"
import { packHolds } from "../objects/pack-index.ts"
import { byteSource } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { linkOrCopy } from "../process/files.ts"
import { listReferences } from "../refs/ref-files.ts"
import { writeSkeleton } from "../repositories/repository.ts"
import { isReservedRef, writableName } from "./push-request.ts"

/*
 * Bare repositories that this program didn't make. Nothing in such a folder is trusted: its configuration, hooks and alternates are not read by git, since git
 * never runs in it. What can be references or objects is linked into a folder of our own, and from there packed into a quarantine, like a push.
 */

/** What was taken out of a folder. */
export interface TakenOver {
  readonly repository: Repository
  /** The branch that the folder's HEAD names, whether or not it exists. */
  readonly head: string | undefined
}

export interface TakeOverOptions {
  /** The branch that HEAD names in the new repository. */
  readonly branch: string
  /** The object format that it must have; any by default. */
  readonly format?: ObjectFormat
}

const unfit = (words: string) => new GitError("unfit", words)
const notOne = () => unfit("the folder is no bare git repository")

/** The most bytes of `packed-refs`; the other files have one line. */
const MOST_PACKED_BYTES = 32 * 2 ** 20
const MOST_LINE_BYTES = 4096

/** The content of a file, or undefined where there is none, or something else: links are not followed, and a pipe is not waited for. */
async function readPlain(path: string, most = MOST_LINE_BYTES): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "ENXIO")) return undefined
    throw error
  })
  try {
    const found = await file?.stat()
    if (!file || !found?.isFile()) return undefined
    if (found.size > most) throw unfit("a file of its references is too large")
    return await file.readFile()
  } finally {
    await file?.close()
  }
}

/** Whether it is a folder; a link to one is none. */
const isFolder = async (path: string): Promise<boolean> => (await lstat(path).catch(() => undefined))?.isDirectory() === true

interface Entry {
  readonly name: string
  readonly folder: boolean
}

/** The files and folders in a folder; links, pipes and the like are left out. */
async function* plainEntries(path: string): AsyncGenerator<Entry> {
  if (!(await isFolder(path))) return
  for await (const entry of await opendir(path))
    if (entry.isFile() || entry.isDirectory()) yield { name: entry.name, folder: entry.isDirectory() }
}

const OBJECT_FOLDER = /^[0-9a-f]{2}$/
const LOOSE = /^([0-9a-f]{38}|[0-9a-f]{62})$/
const PACK = /^pack-[0-9a-f]+\.(pack|idx)$/

/** Links the files of objects, or copies them where the file system can't, and returns their bytes. Throws `unfit` for more than a push may have. */
async function linkObjects(context: Context, from: string, to: string): Promise<number> {
  let bytes = 0
  for await (const { name: group, folder } of plainEntries(from)) {
    const files = group === "pack" ? PACK : OBJECT_FOLDER.test(group) ? LOOSE : undefined
    if (files === undefined || !folder) continue
    await mkdir(join(to, group), { recursive: true })
    for await (const entry of plainEntries(join(from, group))) {
      if (entry.folder || !files.test(entry.name)) continue
      const path = join(to, group, entry.name)
      await linkOrCopy(join(from, group, entry.name), path)
      const found = await lstat(path)
      // Exchanged since it was listed.
      if (!found.isFile()) throw notOne()
      bytes += found.size
      if (bytes > context.limits.pushBytes) throw unfit("the repository is larger than what may be pushed at once")
    }
  }
  return bytes
}

/** Copies the files of references. Throws `unfit` for more of them than a push may have. */
async function copyReferences(context: Context, from: string, to: string): Promise<void> {
  const packed = await readPlain(join(from, "packed-refs"), MOST_PACKED_BYTES)
  if (packed) await writeFile(join(to, "packed-refs"), packed)
  let count = 0
  const folders = ["refs"]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for await (const entry of plainEntries(join(from, folder))) {
      const name = `${folder}/${entry.name}`
      // Locks, and what else is no reference.
      if (!isRefName(name)) continue
      if (++count > 2 * context.limits.pushCommands) throw tooMany(context)
      if (entry.folder) {
        await mkdir(join(to, name), { recursive: true })
        folders.push(name)
        continue
      }
      const content = (await readPlain(join(from, name)))?.toString("latin1") ?? ""
      // Left out, the commits that it named would be lost.
      if (!content.startsWith("ref:") && !isObjectId(content.trim())) throw unfit(`${name} can't be read`)
      await writeFile(join(to, name), content)
    }
}

const tooMany = ({ limits }: Context) => unfit(`the repository has more than ${limits.pushCommands} branches, tags and other references`)

/** The references that a push could bring, without those that only a server writes. Throws `unfit` for a name that a push may not have. */
function pushable(context: Context, references: readonly Reference[]): readonly Reference[] {
  const kept = references.filter(({ name }) => !isReservedRef(name))
  for (const { name } of kept) {
    const writable = writableName(name)
    if ("refused" in writable) throw unfit(`${name}: ${writable.refused}`)
    if (isMisleadingName(branchOf(name) ?? tagOf(name) ?? "")) throw unfit(`${name}: git takes that for the name of another reference`)
  }
  if (kept.length > context.limits.pushCommands) throw tooMany(context)
  return kept
}

/** The format that the configuration says; nothing else of it counts. Throws `unfit` where the folder is no repository, or stores references in another way. */
async function formatOf(folder: string): Promise<ObjectFormat> {
  const head = await readPlain(join(folder, "HEAD"))
  if (!head || !(await isFolder(join(folder, "objects"))) || !(await isFolder(join(folder, "refs")))) throw notOne()
  if (await isFolder(join(folder, "reftable")))
    throw unfit("its references are stored as reftable; convert them with git refs migrate --ref-format=files")
  const config = (await readPlain(join(folder, "config"), 2 ** 20))?.toString("latin1") ?? ""
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? "sha256" : "sha1"
}

/** Packs what the references of one repository reach into another one, whose checks are those of a push. Throws `unfit`, `busy`, `timeout`. */
async function takeObjects(context: Context, from: Repository, references: readonly Reference[], to: Repository): Promise<void> {
  const ids = [...new Set(references.map(({ id }) => id))]
  const timeoutMs = context.limits.transferMs
  const release = await context.pushes.acquire(to.key)
  const taken = await openQuarantine(await context.store().receiving(to))
  try {
    const packing = { name: "pack-objects", flags: ["--revs", "--stdout", "-q"] } as const
    const pack = await context.processes.open(context.longWork, packing, { repository: from, timeoutMs })
    const packed = pack.exit.catch(() => ({ code: -1 }))
    pack.stdin.on("error", () => {})
    pack.stdin.end(ids.map((id) => `${id}\n`).join(""))
    const source = byteSource(pack.stdout)
    const { refused, closed } = await takePack(context, taken, pack.stdout, source, { maxBytes: context.limits.pushBytes }).finally(() => {
      source.release()
      // Where it was not read to its end, the rest is not wanted.
      pack.stdout.resume()
    })
    if ((await packed).code !== 0)
      throw unfit(
        "objects are missing or damaged; of a clone that is shallow, partial or has alternates, make a whole one with git clone --mirror",
      )
    if (refused !== null) throw unfit(refused)
    const isComplete = closed !== undefined && (await packHolds(closed, ids))
    if (!isComplete && !(await isConnected(context, taken, ids, undefined))) throw unfit("objects are missing")
    for (const { name, id } of references)
      if (branchOf(name) !== undefined && (await objectInfo(context, taken, id))?.type !== "commit")
        throw unfit(`${name}: a branch can name only a commit`)
    await context.store().migrate(taken)
  } finally {
    await closeQuarantine(context, taken)
    release()
  }
}

/**
 * Makes a repository with the references of a bare repository in some folder, and with what they reach. The folder is only read, and left as it is. Throws
 * `missing` where there is no such folder, `unfit` with words for clients for what a push would be refused for or what can't be taken whole, `exists`, `busy`,
 * `timeout`; nothing is left then.
 */
export async function takeOver(context: Context, folder: string, key: string, { branch, format }: TakeOverOptions): Promise<TakenOver> {
  if (!(await isFolder(folder))) throw new GitError("missing", "no such folder", folder)
  const found = await formatOf(folder)
  if (format !== undefined && found !== format) throw unfit(`its object format is ${found}, and not ${format}`)
  const target = context.store().at(key, found)
  const temporary = join(context.root, `.new-${randomBytes(12).toString("hex")}`)
  const staged: Repository = { key: `${key}-staged`, directory: temporary, format: found }
  try {
    writeSkeleton(temporary, found, branchRef(branch))
    const bytes = await linkObjects(context, join(folder, "objects"), join(temporary, "objects"))
    await copyReferences(context, folder, temporary)
    const references = pushable(context, await listReferences(staged))
    if (references.length === 0 && bytes > 0) throw unfit("it has objects, and no branch or tag that names them")
    await context.store().create(key, { format: found, branch })
    try {
      if (references.length > 0) {
        await takeObjects(context, staged, references, target)
        const updates = references.map(({ name, id }) => ({ name, from: null, to: id }))
        await context.store().update(target, updates)
      }
    } catch (error) {
      await context.store().remove(target)
      throw error
    }
    const head = /^ref:\s*(refs\/heads\/.+?)\s*$/.exec((await readPlain(join(folder, "HEAD")))?.toString("utf8") ?? "")?.[1]
    return { repository: target, head: head !== undefined && isRefName(head) ? branchOf(head) : undefined }
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 })
  }
}
