import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { LRUCache } from "lru-cache"
import Type, { Check, type Static } from "../schema.ts"
import type { BackupPlace } from "./place.ts"
import { Damaged, type Keys } from "./seal.ts"

/**
 * Chunks: bytes by the name that their content gives them, each stored once. They are sealed one by one, and written many to a file (a pack), so that neither a million
 * small ones nor one of many gigabytes is a burden. An index says which pack has which; it is written after the packs that it names.
 */

/** Bytes of a pack that is written: it may be more by one chunk. */
const PACK_BYTES = 2 ** 24
/** Packs that one index names at most: what was stored before a run was ended is known to the next. */
const PACKS_OF_INDEX = 16
/** Bytes of chunks at most. */
export const CHUNK_BYTES = 2 ** 22
/** Packs that a reader keeps in memory. */
const PACKS_KEPT = 3

/** A chunk, where it begins in its pack, and its length. */
const Extent = Type.Unsafe<[string, number, number]>({
  type: "array",
  prefixItems: [{ type: "string" }, { type: "integer" }, { type: "integer" }],
  minItems: 3,
  maxItems: 3,
})

const Index = Type.Object({
  packs: Type.Array(Type.Object({ pack: Type.String(), chunks: Type.Array(Extent) })),
})
type Index = Static<typeof Index>

export const packName = (pack: string): string => `data/${pack.slice(0, 2)}/${pack}`
const indexName = (id: string): string => `index/${id}`
const newId = (): string => randomBytes(16).toString("hex")

export interface Location {
  readonly pack: string
  readonly start: number
  readonly size: number
}

/** Where each chunk is. In arrays, since there may be millions. */
export interface Known {
  readonly has: (chunk: string) => boolean
  readonly find: (chunk: string) => Location | undefined
  readonly add: (chunk: string, location: Location) => void
  readonly entries: () => Iterable<readonly [chunk: string, location: Location]>
}

export function knownChunks(): Known {
  const places = new Map<string, number>()
  const packs: string[] = []
  const numbers = new Map<string, number>()
  let extents = new Uint32Array(3 * 1024)
  const locationAt = (at: number): Location => {
    const [pack = 0, start = 0, size = 0] = extents.subarray(at * 3, at * 3 + 3)
    return { pack: packs[pack] ?? "", start, size }
  }
  return {
    has: (chunk) => places.has(chunk),
    find(chunk) {
      const at = places.get(chunk)
      return at === undefined ? undefined : locationAt(at)
    },
    add(chunk, { pack, start, size }) {
      const number = numbers.get(pack) ?? packs.push(pack) - 1
      numbers.set(pack, number)
      const at = places.get(chunk) ?? places.size
      if (at * 3 + 3 > extents.length) {
        const grown = new Uint32Array(extents.length * 2)
        grown.set(extents)
        extents = grown
      }
      extents.set([number, start, size], at * 3)
      places.set(chunk, at)
    },
    *entries() {
      for (const [chunk, at] of places) yield [chunk, locationAt(at)]
    },
  }
}

/** Reads all indexes. Throws {@link Damaged}, which names the one that can't be read. */
export async function readIndexes(place: BackupPlace, keys: Keys): Promise<{ readonly known: Known; readonly indexes: readonly string[] }> {
  const known = knownChunks()
  const indexes: string[] = []
  for await (const { name } of place.list("index")) {
    const index: unknown = await readSealed(place, keys, name)
    if (!Check(Index, index)) throw new Damaged(`${name} is no index`)
    indexes.push(name)
    for (const { pack, chunks } of index.packs) for (const [chunk, start, size] of chunks) known.add(chunk, { pack, start, size })
  }
  return { known, indexes }
}

/** A document of JSON that is sealed under its own name. Throws {@link Damaged}. */
export async function readSealed(place: BackupPlace, keys: Keys, name: string): Promise<unknown> {
  const sealed = await place.read(name)
  if (!sealed) throw new Damaged(`${name} is gone`)
  try {
    return JSON.parse((await keys.unseal(sealed, name)).toString("utf8"))
  } catch {
    throw new Damaged(`${name} was altered, or can't be read whole`)
  }
}

export const writeSealed = async (place: BackupPlace, keys: Keys, name: string, document: unknown): Promise<void> =>
  place.write(name, await keys.seal(Buffer.from(JSON.stringify(document)), name))

export interface ChunkWriter {
  /** Stores bytes, unless the same are there, and gives their name. */
  readonly add: (bytes: Buffer) => Promise<string>
  /** Names what is stored already in the indexes that are written: for the place of all others. */
  readonly keep: (stored: Known) => void
  /** Writes all that is not written yet. */
  readonly flush: () => Promise<void>
  /** Bytes that were written, sealed. */
  readonly written: () => number
}

/** `rate`: the most bytes a second that are written; 0 for no limit. Holds two packs in memory. */
export function chunkWriter(place: BackupPlace, keys: Keys, known: Known, { rate = 0 }: { readonly rate?: number } = {}): ChunkWriter {
  let [pack, size, parts]: [string, number, Buffer[]] = [newId(), 0, []]
  let chunks: [string, number, number][] = []
  let unnamed: Index["packs"] = []
  let under: Promise<void> = Promise.resolve()
  let written = 0
  const began = performance.now()
  // What waits to be written is known already, so that it is not added twice.
  const waiting = new Set<string>()

  async function writePack(id: string, bytes: Buffer, inside: [string, number, number][]): Promise<void> {
    if (rate > 0) await sleep(Math.max(0, ((written + bytes.length) / rate) * 1000 - (performance.now() - began)))
    await place.write(packName(id), bytes)
    written += bytes.length
    for (const [chunk, start, length] of inside) {
      known.add(chunk, { pack: id, start, size: length })
      waiting.delete(chunk)
    }
    unnamed.push({ pack: id, chunks: inside })
    if (unnamed.length >= PACKS_OF_INDEX) await writeIndex()
  }

  async function writeIndex(): Promise<void> {
    if (unnamed.length === 0) return
    const index: Index = { packs: unnamed }
    unnamed = []
    await writeSealed(place, keys, indexName(newId()), index)
  }

  /** Begins to write the pack, once the one before is written. */
  async function turnOver(): Promise<void> {
    if (parts.length === 0) return
    const [id, bytes, inside] = [pack, Buffer.concat(parts), chunks]
    ;[pack, size, parts, chunks] = [newId(), 0, [], []]
    // One pack is written at a time, and one more may wait. A failure is told by the next.
    const before = under
    under = before.then(() => writePack(id, bytes, inside))
    under.catch(() => {})
    await before
  }

  return {
    keep(stored) {
      const byPack = new Map<string, [string, number, number][]>()
      for (const [chunk, { pack: id, start, size: length }] of stored.entries()) {
        const inside = byPack.get(id) ?? []
        inside.push([chunk, start, length])
        byPack.set(id, inside)
      }
      for (const [id, inside] of byPack) unnamed.push({ pack: id, chunks: inside })
    },
    async add(bytes) {
      const chunk = keys.nameOf(bytes)
      if (known.has(chunk) || waiting.has(chunk)) return chunk
      waiting.add(chunk)
      const sealed = await keys.seal(bytes, chunk)
      chunks.push([chunk, size, sealed.length])
      parts.push(sealed)
      size += sealed.length
      if (size >= PACK_BYTES) await turnOver()
      return chunk
    },
    async flush() {
      await turnOver()
      await under
      await writeIndex()
    },
    written: () => written,
  }
}

export interface ChunkReader {
  /** Throws {@link Damaged}, which names the chunk and its pack. */
  readonly read: (chunk: string) => Promise<Buffer>
}

/** Reads whole packs, since what was written together is read together. */
export function chunkReader(place: BackupPlace, keys: Keys, known: Known): ChunkReader {
  const packs = new LRUCache<string, Promise<Buffer | undefined>>({ max: PACKS_KEPT })
  return {
    async read(chunk) {
      const location = known.find(chunk)
      if (!location) throw new Damaged(`the chunk ${chunk} is in no index`)
      const { pack, start, size } = location
      const reading = packs.get(pack) ?? place.read(packName(pack))
      packs.set(pack, reading)
      const bytes = await reading.catch((error: unknown) => {
        packs.delete(pack)
        throw error
      })
      if (!bytes) throw new Damaged(`${packName(pack)} is gone`)
      try {
        const content = await keys.unseal(bytes.subarray(start, start + size), chunk)
        if (keys.nameOf(content) === chunk) return content
      } catch {
        // Said below.
      }
      throw new Damaged(`${packName(pack)} is damaged between bytes ${start} and ${start + size}`)
    },
  }
}
