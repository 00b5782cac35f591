import { randomBytes } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdir, readlink, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { LRUCache } from "lru-cache"
import { GitError, hasCode, isGitError } from "../../model/errors.ts"
import type { ObjectFormat, ObjectId, RefName } from "../../model/names.ts"
import { indexLast } from "../../objects/folders.ts"
import { storeLooseObjects } from "../../objects/loose.ts"
import type { Context } from "../../process/context.ts"
import { namesIn } from "../../process/files.ts"
import type { Limiter } from "../../process/limits.ts"
import { packedTextWith, readPackedFile } from "../../refs/packed-file.ts"
import { packedText } from "../../refs/ref-files.ts"
import { writeSkeleton } from "../../repositories/repository.ts"
import type { NewPack, Versions } from "../store.ts"
import type { CacheFolders } from "./folders.ts"
import type { PackFiles, Records, StoredPack, StoredRepository } from "./records.ts"
import { objectsOf } from "./small-pack.ts"
import type { Trimming } from "./trim.ts"

/** A repository as this process's files show it. */
export interface Cached {
  readonly stored: StoredRepository
  readonly references: ReadonlyMap<RefName, ObjectId>
  /** The object directory of its epoch. */
  readonly objects: string
}

export interface Cache {
  /** Makes the files as new as the rows are now, or newer. Undefined where there is no such repository. */
  readonly ready: (key: string) => Promise<Cached | undefined>
  /** Notes a change that this process has made, whose objects it has given already. Never fails, since the change is made: what is not noted is read from the rows. */
  readonly made: (key: string, versions: Versions, change: Made) => Promise<void>
  readonly drop: (key: string) => Promise<void>
}

export interface Made {
  readonly updates: ReadonlyMap<RefName, ObjectId | null>
  readonly packs: readonly NewPack[]
  /** Puts the objects of its packs into the object directory. */
  readonly store: (objects: string) => Promise<void>
}

interface Entry {
  readonly id: number
  readonly format: ObjectFormat
  readonly references: Map<RefName, ObjectId>
  refsVersion: number
  head: RefName
  epoch: number
  packsVersion: number
}

/** The most repositories, and references of all of them, that are remembered; others are read from the rows again. */
const MOST = { entries: 5_000, references: 2_000_000 }
/** How often a look is repeated whose packs were replaced meanwhile. */
const TRIES = 3
/** Files of one repository that are fetched at once. */
const FETCHED_AT_ONCE = 4

export interface CacheSettings {
  readonly records: Records
  readonly files: PackFiles
  readonly folders: CacheFolders
  readonly fills: Limiter
  readonly trimming: Trimming
}

export function openCache(context: Context, { records, files, folders, fills, trimming }: CacheSettings): Cache {
  const entries = new LRUCache<string, Entry>({
    max: MOST.entries,
    maxSize: MOST.references,
    sizeCalculation: ({ references }) => 1 + references.size,
  })
  const running = new Map<string, Promise<Cached | undefined>>()
  const queued = new Map<string, Promise<Cached | undefined>>()

  /** Joins a look at the rows that has not begun yet: one that has may have seen them before what its caller must see. */
  function ready(key: string): Promise<Cached | undefined> {
    const known = queued.get(key)
    if (known) return known
    const next = (running.get(key) ?? Promise.resolve(undefined))
      .catch(() => undefined)
      .then(() => {
        queued.delete(key)
        const run = followSurely(key).finally(() => {
          if (running.get(key) === run) running.delete(key)
        })
        running.set(key, run)
        return run
      })
    queued.set(key, next)
    return next
  }

  /** A repack may take packs away between the look at the rows and the last of their files. */
  async function followSurely(key: string): Promise<Cached | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        return await follow(key)
      } catch (error) {
        if (tries === TRIES || !isGitError(error, "missing")) throw error
      }
    }
  }

  async function follow(key: string): Promise<Cached | undefined> {
    const stored = await records.find(key)
    if (stored === undefined) {
      await drop(key)
      return undefined
    }
    const entry = entryOf(key, stored)
    // Git must find what a reference names: the rows are read before the packs, which come with them or before, and written after.
    const writeReferences = await followReferences(key, entry, stored)
    const objects = await followPacks(key, entry, stored)
    writeReferences()
    entries.set(key, entry)
    trimming.use(folders.objects(key), stored.size)
    return { stored, references: entry.references, objects }
  }

  function entryOf(key: string, stored: StoredRepository): Entry {
    const directory = folders.worker(key)
    const known = entries.get(key)
    if (known?.id === stored.id && existsSync(join(directory, "HEAD"))) return known
    if (!existsSync(join(directory, "HEAD"))) makeFolder(directory, stored)
    return { id: stored.id, format: stored.format, references: new Map(), refsVersion: -1, head: stored.head, epoch: -1, packsVersion: 0 }
  }

  /** Reads what has changed, and gives the function that writes it. */
  async function followReferences(key: string, entry: Entry, stored: StoredRepository): Promise<() => void> {
    const directory = folders.worker(key)
    const isGap = entry.refsVersion < stored.removedVersion
    const changed = entry.refsVersion === stored.refsVersion ? [] : await records.references(stored.id, isGap ? 0 : entry.refsVersion)
    return () => {
      // This process may have made a change meanwhile.
      if (entry.refsVersion < stored.refsVersion) {
        if (isGap) entry.references.clear()
        for (const { name, id } of changed) entry.references.set(name, id)
        writeReferences(
          directory,
          stored.format,
          entry.references,
          isGap || entry.refsVersion < 0 ? undefined : new Map(changed.map(({ name, id }) => [name, id])),
        )
        entry.refsVersion = stored.refsVersion
      }
      if (entry.head !== stored.head) replace(join(directory, "HEAD"), `ref: ${stored.head}\n`)
      entry.head = stored.head
    }
  }

  async function followPacks(key: string, entry: Entry, stored: StoredRepository): Promise<string> {
    const objects = join(folders.objects(key), String(stored.epoch))
    const isThere = lstatSync(stateOf(objects), { throwIfNoEntry: false }) !== undefined
    const known = entry.epoch === stored.epoch && isThere ? entry.packsVersion : await filledTo(objects)
    if (known < stored.packsVersion || !isThere)
      await fill(key, stored.epoch, stored.format, records.packs(stored.id, known), stored.packsVersion)
    if (entry.epoch !== stored.epoch || !isThere) {
      replaceLink(currentOf(folders, key), String(stored.epoch))
      dropLater(folders.objects(key), String(stored.epoch))
      // Readers have the packs of the last epoch open.
      await context.readers.closeRepository(viewOf(folders, key, stored.format))
    }
    entry.packsVersion = Math.max(known, stored.packsVersion, entry.epoch === stored.epoch ? entry.packsVersion : 0)
    entry.epoch = stored.epoch
    return objects
  }

  /** Puts packs into the object directory of an epoch. Throws `missing` where a file of them is gone, or the directory was trimmed away meanwhile. */
  async function fill(key: string, epoch: number, format: ObjectFormat, packs: AsyncIterable<StoredPack>, atLeast: number): Promise<void> {
    const objects = join(folders.objects(key), String(epoch))
    await mkdir(join(objects, "pack"), { recursive: true })
    const before = await identityOf(objects)
    let filled = atLeast
    const fetching = new Set<Promise<void>>()
    try {
      for await (const pack of packs) {
        filled = Math.max(filled, pack.version)
        if (pack.content) {
          const own = { key, directory: folders.worker(key), format, staging: objects }
          await storeLooseObjects(context, own, objectsOf(pack.content, format))
        } else {
          await trimming.makeRoom(pack.size)
          if (fetching.size >= FETCHED_AT_ONCE) await Promise.race(fetching)
          const fetched = fetch(objects, pack).finally(() => fetching.delete(fetched))
          fetching.add(fetched)
        }
      }
      await Promise.all(fetching)
    } finally {
      await Promise.allSettled(fetching)
    }
    await requireSame(objects, before)
    writeState(objects, filled)
  }

  /** Fetches the files of a pack. */
  async function fetch(objects: string, { id, files: endings }: StoredPack): Promise<void> {
    const missing = indexLast(endings)
      .map((ending) => ({ ending, path: packPath(objects, id, ending) }))
      .filter(({ path }) => !existsSync(path))
      .map((file) => ({ ...file, temporary: `${file.path}.${randomBytes(6).toString("hex")}.tmp` }))
    try {
      const fetched = missing.map((file) => fetchFile(objects, id, file))
      await Promise.allSettled(fetched)
      await Promise.all(fetched)
      for (const { path, temporary } of missing) await rename(temporary, path)
    } finally {
      for (const { temporary } of missing) await rm(temporary, { force: true })
    }
  }

  async function fetchFile(objects: string, id: string, file: { readonly ending: string; readonly temporary: string }): Promise<void> {
    const release = await fills.acquire(objects)
    try {
      await mkdir(dirname(file.temporary), { recursive: true })
      await files.read(id, file.ending, file.temporary)
    } finally {
      release()
    }
  }

  async function made(key: string, versions: Versions, change: Made): Promise<void> {
    const entry = entries.get(key)
    if (!entry) return
    try {
      await note(key, entry, versions, change)
    } catch (error) {
      context.log({ level: "warn", message: "a change was not noted in the cache", repository: key, detail: String(error) })
    }
  }

  async function note(key: string, entry: Entry, { refs, packs }: Versions, change: Made): Promise<void> {
    // Only what follows at once: with others in between, the rows say what came first.
    if (change.packs.length > 0 && entry.packsVersion === packs - 1) {
      const objects = join(folders.objects(key), String(entry.epoch))
      const before = await identityOf(objects)
      await change.store(objects)
      await requireSame(objects, before)
      writeState(objects, packs)
      entry.packsVersion = Math.max(entry.packsVersion, packs)
    }
    if (entry.packsVersion < packs || entry.refsVersion !== refs - 1) return
    for (const [name, id] of change.updates) {
      if (id === null) entry.references.delete(name)
      else entry.references.set(name, id)
    }
    writeReferences(folders.worker(key), entry.format, entry.references, change.updates)
    entry.refsVersion = refs
  }

  async function drop(key: string): Promise<void> {
    entries.delete(key)
    await rm(folders.worker(key), { recursive: true, force: true })
    await rm(folders.objects(key), { recursive: true, force: true })
  }

  return { ready, made, drop }
}

/** A link to the object directory of the epoch. */
export const currentOf = (folders: CacheFolders, key: string): string => join(folders.objects(key), "current")

/** The view of a repository that git is run in. */
export const viewOf = (folders: CacheFolders, key: string, format: ObjectFormat) => {
  const directory = folders.worker(key)
  const staging = join(directory, "staging")
  return { key, directory, format, staging, borrows: [staging, currentOf(folders, key)] }
}

export const packPath = (objects: string, id: string, ending: string): string =>
  ending === "graph" ? join(objects, "info", "commit-graph") : join(objects, "pack", `pack-${id}.${ending}`)

function makeFolder(directory: string, { format, head }: StoredRepository): void {
  const temporary = `${directory}.${randomBytes(6).toString("hex")}.new`
  mkdirSync(dirname(directory), { recursive: true })
  writeSkeleton(temporary, format, head)
  // Objects may have been staged in it before it was looked at. HEAD comes last, because it says that the folder is whole.
  mkdirSync(join(directory, "staging"), { recursive: true })
  const names = readdirSync(temporary).toSorted((a, b) => Number(a === "HEAD") - Number(b === "HEAD"))
  for (const name of names) renameSync(join(temporary, name), join(directory, name))
  rmdirSync(temporary)
}

/** Replaces a file in one step. */
function replace(path: string, content: string | Buffer): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.new`
  writeFileSync(temporary, content)
  renameSync(temporary, path)
}

/** The most changed references that are put into the file of the last change; with more it is written anew. */
const FEW_CHANGES = 100

/** Writes the file of the references: anew, or with what has changed. */
function writeReferences(
  directory: string,
  format: ObjectFormat,
  references: ReadonlyMap<RefName, ObjectId>,
  changed: ReadonlyMap<RefName, ObjectId | null> | undefined,
): void {
  const isSmall = changed !== undefined && changed.size <= FEW_CHANGES
  const text = isSmall ? packedTextWith(readPackedFile({ key: "", directory, format }), changed) : packedRefs(references)
  replace(join(directory, "packed-refs"), text)
}

/** References as git's file of them. */
export const packedRefs = (references: ReadonlyMap<RefName, ObjectId>): string =>
  packedText([...references].map(([name, id]) => ({ name, id })))

/** How far an object directory is filled: the version of the last pack. */
async function filledTo(objects: string): Promise<number> {
  const text = await readlink(stateOf(objects)).catch((error: unknown) => {
    // An earlier version of Hearth has left a file.
    if (hasCode(error, "ENOENT", "EINVAL")) return "0"
    throw error
  })
  return Number(text)
}

const stateOf = (objects: string): string => join(objects, "state")

/** A link that leads nowhere: it is replaced in one step, as a file is, for which file systems write out its blocks each time. */
export const writeState = (objects: string, version: number): void => replaceLink(stateOf(objects), String(version))

/** Numbers of files are used again, and not at the same moment. */
const identityOf = (folder: string): Promise<string> =>
  stat(folder).then(
    ({ ino, birthtimeMs }) => `${ino} ${birthtimeMs}`,
    (error: unknown) => {
      if (hasCode(error, "ENOENT")) return ""
      throw error
    },
  )

/** Throws `missing` where a folder was trimmed away since: what was put into it before is gone. */
async function requireSame(folder: string, before: string): Promise<void> {
  if (before === "" || (await identityOf(folder)) !== before)
    throw new GitError("missing", "a part of the cache was trimmed while it was filled")
}

/** Milliseconds for which the objects of the last epoch stay: what git reads was begun with them. */
const LAST_EPOCH_MS = 3_600_000

/** Removes the object directories of earlier epochs once nothing can be reading them. */
function dropLater(folder: string, current: string): void {
  const timer = setTimeout(() => {
    // What fails goes with the next epoch, or when the repository leaves the cache.
    dropEpochs(folder, current).catch(() => undefined)
  }, LAST_EPOCH_MS)
  timer.unref()
}

async function dropEpochs(folder: string, before: string): Promise<void> {
  const old = (await namesIn(folder)).filter((name) => /^\d+$/.test(name) && Number(name) < Number(before))
  for (const name of old) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
}

/** Replaces a symbolic link in one step. */
function replaceLink(path: string, to: string): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`
  symlinkSync(to, temporary)
  renameSync(temporary, path)
}
