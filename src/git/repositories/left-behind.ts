import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { GitError, hasCode } from "../model/errors.ts"
import type { Repository } from "../model/model.ts"
import { hiddenPrefix, isObjectId, type ObjectId, objectId, type RefName, refName } from "../model/names.ts"
import { objectFolders } from "../objects/folders.ts"
import { countIn } from "../objects/pack-index.ts"
import type { Context } from "../process/context.ts"
import { namesIn } from "../process/files.ts"
import { listReferences } from "../refs/ref-files.ts"
import { updateReferences } from "../refs/references.ts"

/*
 * Objects that no reference reaches: what force-pushes, deleted branches and trial merges left behind. A repack puts them into a cruft pack, with the time
 * since when they are known to be left behind, and drops those whose time is over.
 */

/** The service's own references to commits that must stay although no other reference reaches them. */
const KEPT = `${hiddenPrefix}kept/`

export const keptRef = (id: ObjectId): RefName => refName(`${KEPT}${id}`)
export const isKept = (name: RefName): boolean => name.startsWith(KEPT)

const packFolder = ({ directory }: Repository) => join(directory, "objects", "pack")

/** The cruft packs of a repository, without a suffix: git keeps a file with times beside each. */
async function cruftPacks(repository: Repository): Promise<readonly string[]> {
  return (await namesIn(packFolder(repository))).filter((name) => name.endsWith(".mtimes")).map((name) => name.slice(0, -".mtimes".length))
}

/** The folders of loose objects, with what is in each. */
async function looseFolders({ directory }: Repository): Promise<readonly (readonly [path: string, names: readonly string[]])[]> {
  const objects = join(directory, "objects")
  const folders = (await namesIn(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  return Promise.all(
    folders.map(async (folder): Promise<readonly [string, readonly string[]]> => {
      const path = join(objects, folder)
      return [path, (await namesIn(path)).filter((name) => /^[0-9a-f]+$/.test(name))]
    }),
  )
}

/** Whether a repository stores no object but those that its references reach, each once. One process. Throws `failed` when an object is missing. */
export async function isExact(context: Context, repository: Repository): Promise<boolean> {
  return (await cruftPacks(repository)).length === 0 && (await countsAgree(context, repository))
}

/**
 * Whether as many objects are stored, those put aside not counted, as references reach. With a bitmap that takes milliseconds, otherwise a walk. Without a
 * cruft pack no reachable object can be missing among them, so that these are the same objects.
 */
async function countsAgree(context: Context, repository: Repository): Promise<boolean> {
  const cruft = new Set((await cruftPacks(repository)).map((name) => `${name}.idx`))
  const packs = (await namesIn(packFolder(repository))).filter((name) => name.endsWith(".idx") && !cruft.has(name))
  const counts = await Promise.all(packs.map((name) => countIn(join(packFolder(repository), name))))
  const loose = (await looseFolders(repository)).reduce((sum, [, names]) => sum + names.length, 0)
  const stored = counts.reduce((sum, count) => sum + count, loose)
  const command = { name: "rev-list", flags: ["--count", "--objects", "--use-bitmap-index", "--all"] } as const
  const { stdout } = await context.processes.run(command, { repository, limiter: context.longWork, timeoutMs: context.limits.transferMs })
  return Number(stdout.toString("latin1").split("\t")[0]) === stored
}

/**
 * Makes one pack of what the given objects reach in another repository, and of nothing else. One process. Throws `failed` when an object is missing.
 */
export async function packFrom(context: Context, from: Repository, ids: readonly ObjectId[], to: Repository): Promise<void> {
  const command = {
    name: "pack-objects",
    flags: ["--revs", "--delta-base-offset", "-q"],
    args: [join(packFolder(to), "pack")],
  } as const
  await context.processes.run(command, {
    repository: { ...to, borrows: objectFolders(from) },
    input: ids.map((id) => `${id}\n`).join(""),
    limiter: context.longWork,
    timeoutMs: context.limits.transferMs,
  })
}

/** Where the times begin in a file of times: behind signature, version and hash, four bytes each. */
const TIMES = 12

/** Whether a cruft pack has an object whose time is before the given one, in seconds since 1970. */
async function isOver(path: string, format: Repository["format"], before: number): Promise<boolean> {
  const bytes = await readFile(path)
  if (bytes.toString("latin1", 0, 4) !== "MTME") throw new GitError("failed", "not the times of a pack", path)
  const end = bytes.length - 2 * (format === "sha1" ? 20 : 32)
  for (let at = TIMES; at < end; at += 4) if (bytes.readUInt32BE(at) < before) return true
  return false
}

/** An empty file that says that nothing was left behind at the time when it was written. */
const EXACT = "hearth-exact"
/** Clocks of files are coarse, and a change may be seen after its time, in milliseconds. */
const COARSE_MS = 2_000

/** Whether no object and no reference has come or gone since it was found that nothing was left behind. Starts no process. */
async function isAsFoundExact({ directory }: Repository): Promise<boolean> {
  const marked = await stat(join(directory, EXACT)).catch(() => undefined)
  if (!marked) return false
  const objects = join(directory, "objects")
  const stores = (await namesIn(objects)).filter((name) => /^([0-9a-f]{2}|pack)$/.test(name)).map((name) => join(objects, name))
  const folders = (await readdir(join(directory, "refs"), { recursive: true, withFileTypes: true }).catch(() => [])).flatMap((entry) =>
    entry.isDirectory() ? [join(entry.parentPath, entry.name)] : [],
  )
  const paths = [objects, ...stores, join(directory, "refs"), ...folders]
  const times = await Promise.all(paths.map((path) => stat(path).then(({ ctimeMs }) => ctimeMs)))
  const packed = await stat(join(directory, "packed-refs")).then(
    ({ ctimeMs }) => ctimeMs,
    () => 0,
  )
  return [...times, packed].every((time) => time < marked.mtimeMs - COARSE_MS)
}

/**
 * Whether a repack would put aside objects that were left behind, or drop those that have been aside since before the given time, in seconds since 1970. At
 * most one process, and none where nothing has changed since that was last found not to be. A repository that is gone has none.
 */
export async function hasLeftBehind(context: Context, repository: Repository, before: number): Promise<boolean> {
  for (const name of await cruftPacks(repository))
    if (await isOver(join(packFolder(repository), `${name}.mtimes`), repository.format, before)) return true
  const isThere = (await namesIn(join(repository.directory, "objects"))).length > 0
  if (!isThere || (await isAsFoundExact(repository))) return false
  // It has the time of the file system's own clock, from before the look.
  const mark = join(repository.directory, `${EXACT}.new`)
  await writeFile(mark, "")
  const isExactNow = await countsAgree(context, repository)
  if (isExactNow) await rename(mark, join(repository.directory, EXACT))
  else await rm(mark, { force: true })
  return !isExactNow
}

/** How many files get a new time at once. */
const AT_ONCE = 16

/** Sets the time of every object that is not known to be left behind: for those that are, the time until they are dropped begins now. */
export async function freshenAll(repository: Repository, now: number): Promise<void> {
  const cruft = new Set((await cruftPacks(repository)).map((name) => `${name}.pack`))
  const packs = (await namesIn(packFolder(repository))).filter((name) => name.endsWith(".pack") && !cruft.has(name))
  const loose = (await looseFolders(repository)).flatMap(([folder, names]) => names.map((name) => join(folder, name)))
  const paths = [...packs.map((name) => join(packFolder(repository), name)), ...loose]
  for (let start = 0; start < paths.length; start += AT_ONCE) await Promise.all(paths.slice(start, start + AT_ONCE).map(touch))

  async function touch(path: string): Promise<void> {
    try {
      await utimes(path, now, now)
    } catch (error) {
      // Another process has packed it.
      if (!hasCode(error, "ENOENT")) throw error
    }
  }
}

/** Makes the service's own references to commits agree with those that are to stay: only commits that exist and that no other reference reaches have one. */
export async function keepCommits(context: Context, repository: Repository, wanted: readonly string[]): Promise<void> {
  const there = await listReferences(repository, KEPT)
  const left = new Set<string>(await unreached(context, repository, wanted))
  const known = new Set<string>(there.map(({ id }) => id))
  await updateReferences(context, repository, [
    ...there.filter(({ id }) => !left.has(id)).map(({ name, id }) => ({ name, from: id, to: null })),
    ...[...left].filter((id) => !known.has(id)).map((id) => ({ name: keptRef(objectId(id)), from: null, to: objectId(id) })),
  ])
}

/** Those of these commits that are there, though no branch, no tag and no other reference than one to them alone keeps them. */
export async function unreached(context: Context, repository: Repository, wanted: readonly string[]): Promise<readonly ObjectId[]> {
  const ids = new Set<string>(wanted.filter((id) => isObjectId(id, repository.format)))
  if (ids.size === 0) return []
  const flags = ["--ignore-missing", "--stdin", `--exclude=${KEPT}*`, "--not", "--all"]
  const input = [...ids].map((id) => `${id}\n`).join("")
  const { stdout } = await context.processes.run({ name: "rev-list", flags }, { repository, input })
  const lines = stdout.toString("latin1").split("\n")
  return lines.filter((id) => ids.has(id)).map((id) => objectId(id))
}
