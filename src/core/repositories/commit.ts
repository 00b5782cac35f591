import {
  foldersAbove,
  GitError,
  type NewPack,
  type RefName,
  type RefUpdate,
  type Replacement,
  type RepositoryChange,
  type Versions,
} from "../../git/index.ts"
import type { Transaction } from "../database/database.ts"
import { flag, type Seconds } from "../database/tables/index.ts"
import {
  findBelow,
  findNamed,
  insertPack,
  linkPack,
  lockStored,
  putHead,
  putReferences,
  putVersions,
  removeReferences,
  sumPacks,
  unlinkPacks,
} from "./store.ts"

/** Changes of stored repositories, each in a transaction of the caller's. */

/** Rows that are written or looked up by one statement. */
const BATCH = 500

/** The bytes of packs, with all their files. */
export const bytesOf = (packs: readonly NewPack[]): number => packs.reduce((sum, { size }) => sum + size, 0)

/**
 * Makes a change: its packs count, and its references have their new values. Throws GitError `missing`, `conflict` where a reference no longer has the expected value or has the
 * name of another one's folder, and `stale` where a garbage collection came between; then the transaction must be rolled back.
 */
export async function commitChange(tx: Transaction, change: RepositoryChange, now: Seconds): Promise<Versions> {
  // Sent together, here and below: each runs after the one before it, and PostgreSQL answers them in one round trip.
  const [stored, current] = await Promise.all([lockStored.first(tx, change), findCurrent(tx, change)])
  if (!stored) throw new GitError("missing", "no such repository", change.key)
  if (stored.gc_epoch !== change.epoch) throw new GitError("stale", "a garbage collection came between", change.key)
  const versions = {
    refs: stored.refs_version + (change.updates.length > 0 ? 1 : 0),
    packs: stored.packs_version + (change.packs.length > 0 ? 1 : 0),
  }
  const isRemoving = change.updates.some(({ to }) => to === null)
  requireExpected(change.updates, current)
  await Promise.all([
    writeUpdates(tx, stored, change.updates, { current, version: versions.refs }),
    addPacks(tx, stored.id, change.packs, versions.packs, now),
    putVersions(tx, {
      id: stored.id,
      refs: versions.refs,
      removed: isRemoving ? versions.refs : stored.removed_version,
      packs: versions.packs,
      epoch: stored.gc_epoch,
      size: stored.size + bytesOf(change.packs),
      packedSize: stored.packed_size,
      packsCount: stored.packs_count + change.packs.length,
      hasLeftBehind: flag(change.leavesBehind || stored.has_left_behind === 1),
      asideSince: stored.aside_since,
    }),
  ])
  return versions
}

/** Lets HEAD name another branch. */
export const commitHead = async (tx: Transaction, key: string, head: RefName): Promise<void> => {
  await putHead(tx, { key, head })
}

/**
 * Puts the packs of a repack in the place of those that it was made of; what came since stays. Undefined where the repository is gone, or has changed too much: by another repack,
 * or at all where objects are dropped.
 */
export async function replacePacks(tx: Transaction, made: Replacement, now: Seconds): Promise<Versions | undefined> {
  const [stored, current] = await Promise.all([lockStored.first(tx, made), findCurrent(tx, made)])
  if (stored?.gc_epoch !== made.epoch || (made.drops && stored.packs_version !== made.packsVersion)) return undefined
  const id = stored.id
  const since = await sumPacks.first(tx, { repositoryId: id, after: made.packsVersion })
  await unlinkPacks(tx, { repositoryId: id, upTo: made.packsVersion })
  const version = stored.packs_version + 1
  await addPacks(tx, id, made.packs, version, now)
  const updates = made.updates.length > 0
  const refs = stored.refs_version + (updates ? 1 : 0)
  requireExpected(made.updates, current)
  await writeUpdates(tx, stored, made.updates, { current, version: refs })
  const packedSize = bytesOf(made.packs)
  await putVersions(tx, {
    id,
    refs,
    removed: made.updates.some(({ to }) => to === null) ? refs : stored.removed_version,
    packs: version,
    epoch: stored.gc_epoch + 1,
    size: packedSize + Number(since?.size ?? 0),
    packedSize,
    packsCount: made.packs.length + Number(since?.count ?? 0),
    hasLeftBehind: flag(stored.packs_version !== made.packsVersion && stored.has_left_behind === 1),
    asideSince: made.asideSince,
  })
  return { refs, packs: version }
}

export async function addPacks(
  tx: Transaction,
  repositoryId: number,
  packs: readonly NewPack[],
  version: number,
  now: Seconds,
): Promise<void> {
  for (const { id: file, size, content = null, files } of packs) {
    const row = await insertPack.first(tx, { file, size, content, files: files.join(" "), now })
    if (!row) throw new Error("a pack was not inserted")
    await linkPack(tx, { repositoryId, packId: row.id, version })
  }
}

type Current = ReadonlyMap<string, string>

/** What the references to be changed name now. */
async function findCurrent(
  tx: Transaction,
  { key, updates }: { readonly key: string; readonly updates: readonly RefUpdate[] },
): Promise<Current> {
  const current = new Map<string, string>()
  for (const batch of batches(updates)) {
    const rows = await findNamed(tx, { key, names: batch.map(({ name }) => name) })
    for (const { name, object_id } of rows) current.set(name, object_id)
  }
  return current
}

function requireExpected(updates: readonly RefUpdate[], current: Current): void {
  for (const { name, from } of updates) {
    const there = current.get(name)
    if (from !== undefined && (from ?? undefined) !== there)
      throw conflict(`${name} is at ${there ?? "nothing"} but expected ${from ?? "nothing"}`)
  }
}

interface StoredRow {
  readonly id: number
  readonly key: string
}

async function writeUpdates(
  tx: Transaction,
  stored: StoredRow,
  updates: readonly RefUpdate[],
  { current, version }: { readonly current: Current; readonly version: number },
): Promise<void> {
  const repositoryId = stored.id
  const gone = updates.filter(({ name, to }) => to === null && current.has(name)).map(({ name }) => name)
  for (const names of batches(gone)) await removeReferences(tx, { repositoryId, names })
  const put = updates.flatMap(({ name, to }) => (to === null ? [] : [{ name, objectId: to }]))
  await requireNamesFree(
    tx,
    stored,
    put.map(({ name }) => name).filter((name) => !current.has(name)),
  )
  for (const some of batches(put)) await putReferences(tx, repositoryId, some, version)
}

/** Git's rule: no reference has the name of a folder of others. */
async function requireNamesFree(tx: Transaction, { id, key }: StoredRow, created: readonly string[]): Promise<void> {
  const among = new Set(created)
  const folders = new Set(created.flatMap(foldersAbove))
  for (const folder of folders) if (among.has(folder)) throw exists(folder)
  for (const names of batches([...folders])) {
    const [taken] = await findNamed(tx, { key, names })
    if (taken) throw exists(taken.name)
  }
  for (const names of batches(created)) {
    const below = await findBelow(tx, id, names)
    if (below !== undefined) throw exists(below)
  }
}

const conflict = (detail: string) => new GitError("conflict", "a reference was changed by another process", detail)
/** In the words of git, which are told to clients. */
const exists = (name: string) => conflict(`'${name}' exists; cannot create`)

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}
