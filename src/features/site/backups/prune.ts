import { chunkWriter, knownChunks, packName } from "../../../core/backup/chunks.ts"
import { chooseKept, type KeepRules } from "../../../core/backup/keep.ts"
import { holdPlace } from "../../../core/backup/locks.ts"
import { type Backups, listSnapshots, openBackups, removeSnapshot } from "../../../core/backup/snapshots.ts"
import { partsOf } from "./verify.ts"

export interface Pruned {
  readonly snapshots: number
  readonly packs: number
  /** Bytes that were freed. */
  readonly bytes: number
}

/** A pack of which less is in use than this part is written anew. */
const LEAST_USED = 0.5

/**
 * Removes the snapshots that rules don't keep, and what no snapshot names any more. Nobody else may work in the place meanwhile. Ended anywhere, it leaves all that snapshots
 * name: they go first; then what is still in use of packs that go is stored again, then a new index, then old indexes and packs.
 * Throws `StorageRefused` where somebody works there, and `Damaged` where a snapshot can't be read: then nothing is removed.
 */
export async function prune(
  backups: Backups,
  rules: KeepRules,
  passphrase: string,
  progress: (state: string) => void = () => {},
): Promise<Pruned> {
  const { place } = backups
  if (place.isOneFile) return { snapshots: 0, packs: 0, bytes: 0 }
  const release = await holdPlace(place, { alone: true })
  try {
    // What others have stored since it was opened counts.
    const now = await openBackups(place, passphrase)
    const all = await listSnapshots(now)
    const kept = chooseKept(all, rules)
    const used = new Set<string>()
    for (const snapshot of all.filter(({ id }) => kept.has(id))) {
      progress(`reading what ${snapshot.id} needs`)
      for await (const { chunks } of partsOf(now, snapshot)) for (const chunk of chunks) used.add(chunk)
    }
    const gone = all.filter(({ id }) => !kept.has(id))
    for (const { id } of gone) await removeSnapshot(now, id)
    return { snapshots: gone.length, ...(await removeUnused(now, used, progress)) }
  } finally {
    await release()
  }
}

async function removeUnused(
  backups: Backups,
  used: ReadonlySet<string>,
  progress: (state: string) => void,
): Promise<Omit<Pruned, "snapshots">> {
  const { place, keys, known, reader, indexes } = backups
  const sizes = new Map<string, number>()
  for await (const { name, size } of place.list("data")) sizes.set(name.slice(name.lastIndexOf("/") + 1), size)
  const live = new Map<string, number>()
  for (const chunk of used) {
    const { pack, size } = known.find(chunk) ?? { pack: "", size: 0 }
    live.set(pack, (live.get(pack) ?? 0) + size)
  }
  const stays = (pack: string): boolean => (live.get(pack) ?? 0) >= (sizes.get(pack) ?? 0) * LEAST_USED && (live.get(pack) ?? 0) > 0
  const going = [...sizes.keys()].filter((pack) => !stays(pack))
  if (going.length === 0) return { packs: 0, bytes: 0 }
  const left = knownChunks()
  const writer = chunkWriter(place, keys, left)
  for (const chunk of used) {
    const location = known.find(chunk)
    if (location && stays(location.pack)) left.add(chunk, location)
  }
  writer.keep(left)
  for (const chunk of used) {
    if (left.has(chunk)) continue
    await writer.add(await reader.read(chunk))
    progress("writing packs anew that are mostly unused")
  }
  await writer.flush()
  for (const name of indexes) await place.remove(name)
  for (const pack of going) await place.remove(packName(pack))
  const freed = going.reduce((sum, pack) => sum + (sizes.get(pack) ?? 0), 0)
  return { packs: going.length, bytes: freed - writer.written() }
}
