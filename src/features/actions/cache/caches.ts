import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Download } from "../../../core/download.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { writeRow } from "../../../core/files.ts"
import type { Services } from "../../../core/services.ts"
import { openFile, removeFiles } from "../files/files.ts"
import type { RunningTask } from "../tokens/store.ts"
import type { OpenUpload, Upload } from "../uploads/store.ts"
import { assemble, beginUpload, discardAssembled, endUpload, findUpload } from "../uploads/uploads.ts"
import { readableScopes, writableScope } from "./scopes.ts"
import {
  type Cache,
  findBestCache,
  findCacheById,
  findCachesByUse,
  findNamedCache,
  findRivalUpload,
  insertCache,
  noteCacheUse,
  removeCacheRows,
} from "./store.ts"

/** Caches of jobs: stored once under a key, restored by it or by the beginning of it, and removed when they are not used. */

/** Names a cache in a scope. The version is a digest by the client of what is in it. */
export interface CacheKey {
  readonly key: string
  readonly version: string
}

const LONGEST_KEY = 512
const LONGEST_VERSION = 512
/** The most keys that one call asks for. */
const MOST_KEYS = 10
/** Seconds in which the use of a cache is written down once. */
const USE_EVERY = 60
/** What a cache counts at least, so that small ones are limited in number too. */
const LEAST_BYTES = 2 ** 20

function requireKey(name: string, text: string, longest: number): void {
  if (text === "" || text.length > longest) throw refuse.invalid(name, `must have 1 to ${longest} characters`)
}

function requireCacheKey({ key, version }: CacheKey): void {
  requireKey("key", key, LONGEST_KEY)
  requireKey("version", version, LONGEST_VERSION)
  // Version 1 of the protocol separates keys by commas.
  if (key.includes(",")) throw refuse.invalid("key", "must not contain a comma")
}

// --- restoring -------------------------------------------------------------------------------------------------------------------------------

/**
 * The cache to restore for these keys, the wanted one first: the scopes that the run sees are searched one after the other, in each the keys in their
 * order, by an exact match and then for the newest that begins so. Undefined if there is none. Notes the use.
 */
export async function findCache(
  services: Services,
  task: RunningTask,
  { keys, version }: { readonly keys: readonly string[]; readonly version: string },
): Promise<Cache | undefined> {
  if (keys.length === 0 || keys.length > MOST_KEYS) throw refuse.invalid("keys", `must be 1 to ${MOST_KEYS}`)
  for (const key of keys) requireCacheKey({ key, version })
  const { database, config, now } = services
  const scopes = await readableScopes(database.read, task)
  const oldest = now() - config.actions.cacheSeconds
  const found = await findBestCache(database.read, { repositoryId: task.repository.id, scopes, keys, version, oldest })
  if (found && found.used_at <= now() - USE_EVERY) await database.write((tx) => noteCacheUse(tx, found.id, now()))
  return found
}

/** The file of a cache. Refuses `notFound` one that was removed. */
export async function cacheDownload(services: Services, id: number): Promise<Download> {
  const cache = await findCacheById.first(services.database.read, { id })
  if (!cache) throw refuse.notFound()
  const { storage, file, size, sha256 } = cache
  return {
    tag: `"${sha256}"`,
    size,
    isRanged: true,
    open: async (range) => {
      const handle = await openFile(services, { storage, file })
      // It may have been removed since the row was read.
      if (!handle && (await findCacheById.first(services.database.read, { id })))
        throw new Refusal("internal", `the file of cache ${id} is gone`)
      if (!handle) throw refuse.notFound()
      return { type: "application/octet-stream", disposition: "attachment", content: handle.read(range) }
    },
  }
}

// --- saving ----------------------------------------------------------------------------------------------------------------------------------

/**
 * Begins the upload of a cache. Refuses `invalid` an unusable key, `conflict` one that is stored already or that another job is storing, `tooLarge` more
 * than a repository may have, and `forbidden` where the run may store none.
 */
export async function beginCache(services: Services, task: RunningTask, { key, version }: CacheKey, size = 0): Promise<Upload> {
  const { config, database, now } = services
  requireCacheKey({ key, version })
  requireFit(services, size)
  const scope = writableScope(task)
  const { id: repositoryId } = task.repository
  return database.write(async (tx) => {
    const there = await findNamedCache.first(tx, { repositoryId, version, scope, key })
    if (there && there.used_at > now() - config.actions.cacheSeconds) throw refuse.conflict(`there is a cache ${key} already`)
    if (await findRivalUpload.first(tx, { repositoryId, taskId: task.task.id, version, scope, key }))
      throw refuse.conflict(`another job is storing the cache ${key}`)
    return beginUpload(tx, services, task, { kind: "cache", name: key, version, scope })
  })
}

function requireFit({ config }: Services, size: number): void {
  const { maxCacheBytes } = config.actions
  if (size > maxCacheBytes || maxCacheBytes === 0)
    throw refuse.tooLarge(`the caches of a repository have at most ${maxCacheBytes} bytes together`)
}

/**
 * Makes a cache of its upload, and removes those that were not used for longest where the repository has too many. A repetition gives the same cache again.
 * Refuses `notFound` without an upload, `invalid` another size than announced, and `conflict` where the key was stored meanwhile.
 */
export async function finishCache(services: Services, task: RunningTask, wanted: CacheKey, size: number): Promise<Cache> {
  const { database } = services
  const { id: repositoryId, storage } = task.repository
  const { key, version } = wanted
  const scope = writableScope(task)
  const findStored = async (): Promise<Cache | undefined> => {
    const stored = await findNamedCache.first(database.read, { repositoryId, version, scope, key })
    return stored?.size === size ? stored : undefined
  }
  const upload = await findUpload(database.read, task, { kind: "cache", name: key, version })
  if (!upload) {
    const stored = await findStored()
    if (!stored) throw refuse.notFound(`no upload of a cache ${key} has begun`)
    return stored
  }
  return keepCache(services, { ...upload, storage }, size)
}

/** The same for an upload that is known. */
export async function keepCache(services: Services, upload: OpenUpload, size: number): Promise<Cache> {
  const { config, database, now } = services
  const { repository_id: repositoryId, name: key, version, scope, storage } = upload
  requireFit(services, size)
  const assembled = await assemble(services, upload, { maxBytes: config.actions.maxCacheBytes, expected: { size } })
  const { stored } = assembled
  const write = () =>
    database.write(async (tx) => {
      await lockRow(tx, "repositories", repositoryId)
      const there = await findNamedCache.first(tx, { repositoryId, version, scope, key })
      if (there && there.used_at > now() - config.actions.cacheSeconds) throw refuse.conflict(`there is a cache ${key} already`)
      if (there) await removeCaches(tx, services, [{ ...there, storage }])
      await endUpload(tx, services, upload, assembled)
      const row = await insertCache(tx, {
        repository_id: repositoryId,
        scope,
        key,
        version,
        file: stored.file,
        size: stored.size,
        sha256: stored.sha256,
        created_at: now(),
        used_at: now(),
      })
      await makeRoom(tx, services, { id: repositoryId, storage }, row.id)
      return row
    })
  return writeRow(write, () => discardAssembled(services, assembled))
}

// --- removing --------------------------------------------------------------------------------------------------------------------------------

/** Removes the caches that were not used for longest until the others fit; the new one stays. */
async function makeRoom(
  tx: Transaction,
  services: Services,
  { id, storage }: { readonly id: number; readonly storage: string },
  newest: number,
): Promise<void> {
  const { maxCacheBytes } = services.config.actions
  const caches = await findCachesByUse(tx, { repositoryId: id })
  const inOrder = [...caches.filter((cache) => cache.id === newest), ...caches.filter((cache) => cache.id !== newest)]
  let total = 0
  const over = inOrder.filter((cache) => {
    total += Math.max(cache.size, LEAST_BYTES)
    return total > maxCacheBytes && cache.id !== newest
  })
  await removeCaches(
    tx,
    services,
    over.map((cache) => ({ ...cache, storage })),
  )
}

/** Removes caches; their files are removed once the transaction is committed. */
export async function removeCaches(
  tx: Transaction,
  services: Pick<Services, "jobs">,
  caches: readonly { readonly id: number; readonly file: string; readonly storage: string }[],
): Promise<void> {
  if (caches.length === 0) return
  await removeCacheRows(
    tx,
    caches.map(({ id }) => id),
  )
  await removeFiles(tx, services, caches)
}
