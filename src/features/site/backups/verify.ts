import { chunkWriter, knownChunks, packName } from "../../../core/backup/chunks.ts"
import { holdPlace } from "../../../core/backup/locks.ts"
import { Damaged } from "../../../core/backup/seal.ts"
import {
  type Backups,
  FileLine,
  isFileLine,
  isRepositoryLine,
  listSnapshots,
  RepositoryLine,
  readLine,
  type Snapshot,
} from "../../../core/backup/snapshots.ts"
import { readLines } from "../../../core/backup/streams.ts"

/** A thing of a snapshot, and the chunks that it is of. */
export interface Part {
  readonly what: string
  readonly chunks: readonly string[]
}

/** Everything in a snapshot, by its name. Throws {@link Damaged} where the lists themselves can't be read. */
export async function* partsOf({ reader }: Backups, snapshot: Snapshot): AsyncGenerator<Part> {
  for (const { name, chunks } of snapshot.tables) yield { what: `the table ${name}`, chunks }
  yield { what: "the list of repositories", chunks: snapshot.repositories.chunks }
  yield { what: "the list of files", chunks: snapshot.files.chunks }
  for await (const line of readLines(reader, snapshot.repositories.chunks)) {
    const { name, packs } = readLine(RepositoryLine, line, isRepositoryLine)
    yield { what: `the repository ${name}`, chunks: packs.flatMap(({ chunks }) => chunks) }
  }
  for await (const line of readLines(reader, snapshot.files.chunks)) {
    const { key, chunks } = readLine(FileLine, line, isFileLine)
    yield { what: `the file ${key}`, chunks }
  }
}

export interface Verified {
  readonly packs: number
  /** Bytes that were read. */
  readonly bytes: number
  /** A sentence for each damaged pack, and each thing of a snapshot that is damaged by it. */
  readonly faults: readonly string[]
  /** The chunks that are damaged or gone. */
  readonly damaged: ReadonlySet<string>
}

interface VerifyOptions {
  readonly progress?: (state: string) => void
  readonly signal?: AbortSignal
}

/** Reads all that is stored, opens each chunk, and says what of which snapshot is damaged. */
export async function verify(backups: Backups, { progress = () => {}, signal }: VerifyOptions = {}): Promise<Verified> {
  const { place, keys, known } = backups
  const faults: string[] = []
  const snapshots = await listSnapshots(backups)
  const bad = new Set<string>()
  const byPack = await chunksByPack(backups, snapshots)
  let [packs, bytes] = [0, 0]
  for (const [pack, chunks] of byPack) {
    signal?.throwIfAborted()
    const content = await place.read(packName(pack))
    packs += 1
    bytes += content?.length ?? 0
    const broken: string[] = []
    for (const chunk of chunks) {
      const { start, size } = known.find(chunk) ?? { start: 0, size: 0 }
      if (content && (await isWhole(keys, content.subarray(start, start + size), chunk))) continue
      broken.push(content ? `bytes ${start} to ${start + size}` : "all of it")
      bad.add(chunk)
    }
    if (broken.length > 0) faults.push(`${packName(pack)}: ${content ? `damaged in ${broken.slice(0, 3).join(", ")}` : "it is gone"}`)
    progress(`${packs} of ${byPack.size} packs`)
  }
  for (const snapshot of snapshots) {
    try {
      for await (const { what, chunks } of partsOf(backups, snapshot)) {
        signal?.throwIfAborted()
        if (chunks.some((chunk) => bad.has(chunk) || !known.has(chunk))) faults.push(`${snapshot.id}: ${what} is damaged`)
      }
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      faults.push(`${snapshot.id}: not all of it can be listed: ${error.message}`)
    }
  }
  progress("")
  return { packs, bytes, faults: [...new Set(faults)], damaged: bad }
}

async function isWhole(keys: Backups["keys"], sealed: Buffer, chunk: string): Promise<boolean> {
  try {
    return keys.nameOf(await keys.unseal(sealed, chunk)) === chunk
  } catch (error) {
    if (error instanceof Damaged) return false
    throw error
  }
}

/** The chunks that snapshots name, by the pack that has them. */
async function chunksByPack(backups: Backups, snapshots: readonly Snapshot[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>()
  for (const snapshot of snapshots) {
    try {
      for await (const { chunks } of partsOf(backups, snapshot)) {
        for (const chunk of chunks) {
          const pack = backups.known.find(chunk)?.pack
          if (pack === undefined) continue
          const there = found.get(pack) ?? new Set()
          there.add(chunk)
          found.set(pack, there)
        }
      }
    } catch (error) {
      // Said where its parts are named.
      if (!(error instanceof Damaged)) throw error
    }
  }
  return found
}

/** Forgets chunks that are damaged, so that the next backup stores them anew where the site still has them: older ones are whole again then. Nobody else may work in the place meanwhile. */
export async function forget({ place, keys, known, indexes }: Backups, damaged: ReadonlySet<string>): Promise<void> {
  const release = await holdPlace(place, { alone: true })
  try {
    const left = knownChunks()
    for (const [chunk, location] of known.entries()) if (!damaged.has(chunk)) left.add(chunk, location)
    const writer = chunkWriter(place, keys, left)
    writer.keep(left)
    await writer.flush()
    for (const name of indexes) await place.remove(name)
  } finally {
    await release()
  }
}
