import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { inflateSync } from "node:zlib"
import { LRUCache } from "lru-cache"
import type { ObjectInfo, ObjectType, RawObject, Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import { applyDelta, resultSize } from "./delta.ts"
import { objectFolders } from "./folders.ts"
import { IDS_AT, isPackIndex } from "./pack-index.ts"

/*
 * Small objects are read from packs here: a process takes a hundred times as long to start, and several times as long to ask. Git is asked for what is not found here, is
 * large or can't be read; it also has the words for what is damaged. Files are read synchronously, as those of references are: a few bytes each, of files that are in
 * use. Nothing of an index is kept in memory.
 */

/** Reads small objects of packs. What is undefined here may be there all the same. Throws nothing. */
export interface Packs {
  readonly info: (repository: Repository, id: ObjectId) => ObjectInfo | undefined
  readonly read: (repository: Repository, id: ObjectId) => RawObject | undefined
  /** Whether packs have come or gone since, which are known from then on. */
  readonly renew: (repository: Repository) => boolean
  /** Something to wait for before every 64th object that is read synchronously, here or from a file of its own: others have their turn. */
  readonly breaks: () => Promise<void> | undefined
  /** Closes the files of a repository. */
  readonly closeRepository: (repository: Repository) => void
  readonly close: () => void
}

/** The largest object that is read here, and what may be inflated for one, in bytes. */
const LARGEST = 1024 * 1024
const MOST_INFLATED = 2 * LARGEST
/** The most deltas on each other; git makes fifty. */
const DEEPEST = 64
/** The most packs of a repository, with more of which git is asked, and of all repositories: each has two open files. */
const MOST_PACKS = 32
const MOST_OPEN = 128
/** How many objects are read at once. */
const AT_ONCE = 64
/** What other objects are made of, in bytes. */
const BASES = { all: 4 * LARGEST, one: LARGEST / 4 }
/** What is read at once: most small objects whole, and what stands before any. */
const PIECE = 4096
const HEAD = 64
/** Places from here on stand in a further table. */
const FAR = 0x8000_0000

interface Pack {
  /** What no other pack has had. */
  readonly serial: number
  readonly index: number
  /** How many ids begin with a byte up to each. */
  readonly counts: Buffer
  readonly file: number
  readonly size: number
}

interface Folder {
  readonly packs: readonly Pack[]
  /** When it was changed last, and when that was looked at. */
  readonly changed: number
  readonly seen: number
}

const TYPES: Readonly<Partial<Record<number, ObjectType>>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" }
const [OFFSET_DELTA, ID_DELTA] = [6, 7]

/** What stands before an object: its kind, or of what other it is a delta. */
interface Entry {
  readonly at: number
  readonly type: ObjectType | undefined
  /** The place or id of the other one. */
  readonly base: number | ObjectId | undefined
  /** The bytes of the object or delta, and where they are. */
  readonly size: number
  readonly data: number
}

/** Reads the head of an entry at a place in a pack. Throws RangeError for what is none. */
function entryAt(head: Buffer, at: number, width: number): Entry {
  let next = 0
  let byte = head.readUInt8(next++)
  const kind = (byte >> 4) & 7
  let size = byte & 15
  for (let unit = 16; byte & 128; unit *= 128) {
    byte = head.readUInt8(next++)
    size += (byte & 127) * unit
  }
  let base: number | ObjectId | undefined
  if (kind === OFFSET_DELTA) {
    byte = head.readUInt8(next++)
    let back = byte & 127
    while (byte & 128) {
      byte = head.readUInt8(next++)
      back = (back + 1) * 128 + (byte & 127)
    }
    base = at - back
  } else if (kind === ID_DELTA) {
    base = objectId(head.toString("hex", next, next + width))
    next += width
  }
  const type = TYPES[kind]
  if (type === undefined && base === undefined) throw new RangeError("no entry of a pack")
  return { at, type, base, size, data: at + next }
}

/** An object in the form of its pack: deltas, the last of them on what is whole. */
interface Chain {
  readonly deltas: readonly Entry[]
  readonly type: ObjectType
  readonly whole: Entry | Buffer
  /** Where what is whole stands. */
  readonly at: number
}

/** `idleMs`: files are closed when nothing was read for so long. */
export function openPacks(idleMs: number): Packs {
  const folders = new Map<string, Folder>()
  const bases = new LRUCache<string, RawObject>({
    maxSize: BASES.all,
    maxEntrySize: BASES.one,
    sizeCalculation: ({ content }) => 300 + content.length,
  })
  const scratch = Buffer.allocUnsafeSlow(PIECE)
  let serial = 0
  let watch: NodeJS.Timeout | undefined
  let isUsed = false
  let reads = 0

  function forget(path: string): void {
    for (const { index, file } of folders.get(path)?.packs ?? []) for (const each of [index, file]) closeSync(each)
    folders.delete(path)
  }

  function close(): void {
    clearInterval(watch)
    watch = undefined
    for (const path of [...folders.keys()]) forget(path)
    bases.clear()
  }

  function use(): void {
    isUsed = true
    watch ??= setInterval(() => {
      if (!isUsed) close()
      isUsed = false
    }, idleMs).unref()
  }

  function openPack(folder: string, name: string): readonly Pack[] {
    const opened: number[] = []
    try {
      for (const ending of ["idx", "pack"]) opened.push(openSync(join(folder, `${name}.${ending}`), "r"))
      const [index = -1, file = -1] = opened
      const head = Buffer.allocUnsafeSlow(IDS_AT)
      readSync(index, head, 0, head.length, 0)
      if (!isPackIndex(head)) throw new RangeError("no index of a pack")
      return [{ serial: serial++, index, counts: head.subarray(-1024), file, size: fstatSync(file).size }]
    } catch {
      // It may be gone already.
      for (const each of opened) closeSync(each)
      return []
    }
  }

  function openFolder(path: string): readonly Pack[] {
    const names = readdirSync(path).flatMap((name) => (/^pack-.*\.idx$/.test(name) ? [name.slice(0, -".idx".length)] : []))
    return names.length > MOST_PACKS ? [] : names.flatMap((name) => openPack(path, name))
  }

  const changeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

  /** The packs in a folder. It is looked at now and then, as files that were removed take their space while they are open. */
  function packsIn(path: string): readonly Pack[] {
    const now = performance.now()
    const known = folders.get(path)
    if (known && now - known.seen < idleMs) return known.packs
    const changed = changeOf(path)
    const isSame = known?.changed === changed
    if (isSame) folders.delete(path)
    else forget(path)
    const packs = isSame ? known.packs : changed === 0 ? [] : openFolder(path)
    folders.set(path, { packs, changed, seen: now })
    // Those that were looked at longest ago make way.
    let open = [...folders.values()].reduce((sum, folder) => sum + folder.packs.length, 0)
    for (const [other, folder] of [...folders]) {
      if ((open <= MOST_OPEN && folders.size <= MOST_OPEN) || other === path) break
      open -= folder.packs.length
      forget(other)
    }
    return packs
  }

  /** The place of an object in a pack, by its index. */
  function placeIn({ index, counts }: Pack, id: ObjectId): number | undefined {
    const width = id.length / 2
    const first = Number.parseInt(id.slice(0, 2), 16)
    const wanted = Buffer.from(id, "hex")
    let low = first === 0 ? 0 : counts.readUInt32BE((first - 1) * 4)
    let high = counts.readUInt32BE(first * 4)
    const count = counts.readUInt32BE(255 * 4)
    while ((high - low) * width > PIECE) {
      const middle = low + ((high - low) >> 1)
      readSync(index, scratch, 0, width, IDS_AT + middle * width)
      if (scratch.compare(wanted, 0, width, 0, width) > 0) high = middle
      else low = middle
    }
    readSync(index, scratch, 0, (high - low) * width, IDS_AT + low * width)
    let [from, to] = [0, high - low]
    while (from < to) {
      const middle = (from + to) >> 1
      const order = scratch.compare(wanted, 0, width, middle * width, (middle + 1) * width)
      if (order === 0) return offsetOf(index, { count, width, number: low + middle })
      if (order < 0) from = middle + 1
      else to = middle
    }
    return undefined
  }

  /** After the ids come a checksum of four bytes for each, then their places. */
  function offsetOf(index: number, { count, width, number }: { readonly count: number; readonly width: number; readonly number: number }) {
    const places = IDS_AT + count * (width + 4)
    readSync(index, scratch, 0, 4, places + number * 4)
    const near = scratch.readUInt32BE(0)
    if (near < FAR) return near
    readSync(index, scratch, 0, 8, places + count * 4 + (near - FAR) * 8)
    return Number(scratch.readBigUInt64BE(0))
  }

  /** Finds an object, and gives what is made of it there. */
  function inPacks<T>(repository: Repository, id: ObjectId, make: (pack: Pack, chain: Chain) => T | undefined): T | undefined {
    // What is in a quarantine may be dropped, and has a reader of its own.
    if (repository.quarantine !== undefined) return undefined
    use()
    try {
      for (const folder of objectFolders(repository))
        for (const pack of packsIn(join(folder, "pack"))) {
          const at = placeIn(pack, id)
          if (at !== undefined) return make(pack, chainAt(pack, at, id.length / 2))
        }
    } catch {
      // Git says what is wrong with it.
    }
    return undefined
  }

  function bytesAt({ file, size }: Pack, at: number, length: number): Buffer {
    const most = Math.min(length, size - at)
    const buffer = most <= PIECE ? scratch : Buffer.allocUnsafe(most)
    return buffer.subarray(0, readSync(file, buffer, 0, most, at))
  }

  function inflated(pack: Pack, { data, size }: Entry): Buffer {
    // No more than zlib may have made of it.
    const bytes = bytesAt(pack, data, size + (size >>> 8) + HEAD)
    const content = inflateSync(bytes, { chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 })
    if (content.length !== size) throw new RangeError("an entry of another size")
    return content
  }

  const keyOf = (pack: Pack, at: number): string => `${pack.serial} ${at}`

  function chainAt(pack: Pack, place: number, width: number): Chain {
    const deltas: Entry[] = []
    for (let at: number | undefined = place; at !== undefined && deltas.length <= DEEPEST; ) {
      const known = bases.get(keyOf(pack, at))
      if (known) return { deltas, type: known.type, whole: known.content, at }
      const entry: Entry = entryAt(bytesAt(pack, at, HEAD), at, width)
      if (entry.type !== undefined) return { deltas, type: entry.type, whole: entry, at }
      deltas.push(entry)
      at = typeof entry.base === "string" ? placeIn(pack, entry.base) : entry.base
    }
    throw new RangeError("a delta on nothing")
  }

  function object(pack: Pack, { deltas, type, whole, at }: Chain): RawObject | undefined {
    let left = MOST_INFLATED
    const mayTake = (size: number): boolean => {
      left -= size
      return size <= LARGEST && left >= 0
    }
    if (!Buffer.isBuffer(whole) && !mayTake(whole.size)) return undefined
    let content = Buffer.isBuffer(whole) ? whole : inflated(pack, whole)
    let place = at
    for (const entry of deltas.toReversed()) {
      const key = keyOf(pack, place)
      if (!bases.has(key)) bases.set(key, { type, content })
      if (!mayTake(entry.size)) return undefined
      const delta = inflated(pack, entry)
      if (!mayTake(resultSize(delta))) return undefined
      content = applyDelta(content, delta)
      place = entry.at
    }
    return { type, content }
  }

  function sizeOf(pack: Pack, { deltas: [top], whole }: Chain): number | undefined {
    if (top === undefined) return Buffer.isBuffer(whole) ? whole.length : whole.size
    return top.size > LARGEST ? undefined : resultSize(inflated(pack, top))
  }

  return {
    info: (repository, id) =>
      inPacks(repository, id, (pack, chain) => {
        const size = sizeOf(pack, chain)
        return size === undefined ? undefined : { id, type: chain.type, size }
      }),
    read: (repository, id) => inPacks(repository, id, object),
    renew: (repository) => {
      const changed = objectFolders(repository)
        .map((folder) => join(folder, "pack"))
        .filter((path) => folders.get(path)?.changed !== changeOf(path))
      for (const path of changed) forget(path)
      return changed.length > 0
    },
    breaks: () => (++reads % AT_ONCE === 0 ? setImmediate() : undefined),
    closeRepository: (repository) => {
      for (const folder of objectFolders(repository)) forget(join(folder, "pack"))
    },
    close,
  }
}
