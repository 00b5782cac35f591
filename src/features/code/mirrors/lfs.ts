import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { Refusal } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { openFile } from "../lfs/files.ts"
import { takeObject } from "../lfs/objects.ts"
import type { LargeFile } from "../lfs/pointers.ts"
import { isOid, isSize } from "../lfs/pointers.ts"
import { findLinked, type LfsObject } from "../lfs/store.ts"
import { askBatch, BATCH, type BatchedObject, type LfsServer } from "./lfs-server.ts"
import { openObject, upload } from "./lfs-transfer.ts"
import { RemoteRefused } from "./remote.ts"

/** Transfers of large files from and to other servers. */

/** Concurrent transfers: most objects are small, and latency dominates. */
const AT_ONCE = 4

/** Progress: how many objects are here, of how many; `missing` ones are not available. */
export interface TransferProgress {
  readonly done: number
  readonly missing: number
  readonly total: number
}

type RepositoryKey = Pick<RepositoryRow, "id">

/**
 * Downloads large files that a repository doesn't have. Each is stored once it is complete, so that a repetition resumes after the last one.
 * Objects that the server doesn't have, that exceed this site's limit or whose content is wrong are skipped and counted.
 * Throws RemoteRefused for permanent failures, RemoteTrouble for temporary ones.
 */
export async function downloadFiles(
  services: Services,
  { id: repositoryId }: RepositoryKey,
  server: LfsServer,
  pointers: readonly LargeFile[],
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress?: (progress: TransferProgress) => Promise<void> },
): Promise<TransferProgress> {
  const { config, database, log } = services
  let progress: TransferProgress = { done: 0, missing: 0, total: pointers.length }
  for (let at = 0; at < pointers.length; at += BATCH) {
    const batch = pointers.slice(at, at + BATCH)
    const able = batch.filter(({ oid, size }) => isOid(oid) && isSize(size) && size <= config.lfs.maxBytes)
    const here = new Set((await findLinked(database.read, { repositoryId, oids: able.map(({ oid }) => oid) })).map(({ oid }) => oid))
    const wanted = able.filter(({ oid }) => !here.has(oid))
    const answers = wanted.length === 0 ? new Map<string, BatchedObject>() : await askBatch(services, server, "download", wanted, signal)
    let missing = batch.length - able.length
    await eachAtOnce(wanted, signal, async (file, ended) => {
      const object = answers.get(file.oid)
      if (!object || !(await download(services, repositoryId, server, file, object, ended))) missing++
    })
    progress = { ...progress, done: progress.done + batch.length - missing, missing: progress.missing + missing }
    await onProgress?.(progress)
  }
  if (progress.missing > 0)
    log.warn({ repository: repositoryId, missing: progress.missing }, "some large files of another server can't be had, or are too large")
  return progress
}

/** Downloads one object. Returns whether it could be stored. */
async function download(
  services: Services,
  repositoryId: number,
  server: LfsServer,
  file: LargeFile,
  object: BatchedObject,
  signal: AbortSignal,
): Promise<boolean> {
  const action = object.actions?.download
  const content = action && (await openObject(services, server, action, object, signal))
  if (!content) return false
  try {
    await takeObject(services, { id: repositoryId }, file, content)
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Refusal)) throw error
    services.log.warn({ err: error, repository: repositoryId, oid: file.oid }, "what another server has as a large file is something else")
    return false
  } finally {
    content.destroy()
  }
}

/**
 * Uploads the large files that a repository has and the server lacks. Those that the repository itself doesn't have are skipped.
 * Throws like {@link downloadFiles}.
 */
export async function sendFiles(
  services: Services,
  { id: repositoryId }: RepositoryKey,
  server: LfsServer,
  pointers: readonly LargeFile[],
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < pointers.length; at += BATCH) {
    const sizes = new Map(pointers.slice(at, at + BATCH).map(({ oid, size }) => [oid, size]))
    const found = await findLinked(services.database.read, { repositoryId, oids: [...sizes.keys()] })
    const files = found.filter(({ oid, size }) => sizes.get(oid) === size)
    if (files.length === 0) continue
    const answers = await askBatch(services, server, "upload", files, signal)
    await eachAtOnce(files, signal, async (file, ended) => {
      const object = answers.get(file.oid)
      if (object?.error) throw new RemoteRefused(`the server refuses a large file: ${(object.error.message ?? "").slice(0, 200)}`)
      if (object) await send(services, server, file, object, ended)
    })
  }
}

async function send(services: Services, server: LfsServer, file: LfsObject, object: BatchedObject, signal: AbortSignal): Promise<void> {
  if (!object.actions?.upload) return
  const handle = await openFile(services, file.file)
  if (!handle) return
  const content = handle.read()
  try {
    await upload(services, server, object, { content, length: file.size }, signal)
  } finally {
    content.destroy()
  }
}

/** Processes items concurrently. The first failure aborts the others, and is thrown once they have ended. */
async function eachAtOnce<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T, ended: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const ended = AbortSignal.any([signal, failed.signal])
  const rest = items.values()
  let first: { readonly error: unknown } | undefined
  const lane = async () => {
    for (const item of rest) {
      if (ended.aborted) return
      try {
        await work(item, ended)
      } catch (error) {
        first ??= { error }
        failed.abort()
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  signal.throwIfAborted()
  if (first) throw first.error
}
