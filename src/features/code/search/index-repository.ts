import { mapInBatches } from "../../../core/batches.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { rowsById } from "../../../core/database/rows-by-id.ts"
import { defineJob, NotYet, type Task } from "../../../core/jobs/jobs.ts"
import { enqueueOnce, GATHERING } from "../../../core/jobs/once.ts"
import type { Services } from "../../../core/services.ts"
import { nextTurn } from "../../../core/work.ts"
import { isObjectId, type ObjectId, type Repository } from "../../../git/index.ts"
import { branchOf } from "../../../git/model/names.ts"
import { resolveRevision } from "../commits/revision.ts"
import { languageOf } from "../languages/languages.ts"
import type { PushStep } from "../pushes/step.ts"
import { indexKind } from "../repositories/index-job.ts"
import { type Changes, changesBetween, changesSince } from "./changes.ts"
import { LARGEST_FILE, MOST_FILES, textOf } from "./choice.ts"
import { type Gram, gramOfRepository, gramsOf, writtenGrams } from "./grams.ts"
import {
  claimIndex,
  doubtIndexes,
  findBlobs,
  findBlobsOfPaths,
  findFiles,
  findIndex,
  findUnindexed,
  insertBlob,
  insertGrams,
  putFile,
  removeAllUnused,
  removeFiles,
  removeUnused,
  startIndex,
} from "./store.ts"

/** How much one transaction writes: other writers wait for it. */
const SLICE_FILES = 64
const SLICE_BYTES = 512 * 1024
const BATCH = 1000

/** The files of one transaction. */
interface Slice {
  /** Paths and their contents; undefined for one that is not searched. */
  readonly files: readonly { readonly path: string; readonly blobId: ObjectId | undefined }[]
  readonly texts: ReadonlyMap<ObjectId, Text>
}

interface Text {
  readonly content: string
  readonly grams: readonly Gram[]
}

/**
 * Makes the index agree with the default branch as it is now. It is idempotent and may be interrupted anywhere: while what was written is of no
 * one tree the index says so, and the next run compares all of it. Returns whether there was anything to do. Throws what reading git throws, and
 * `NotYet` if someone else indexes the same repository meanwhile.
 */
export async function indexRepository(services: Services, repositoryId: number, signal: AbortSignal): Promise<boolean> {
  const { database, git } = services
  const row = await findIndex.first(database.read, { repositoryId })
  if (!row) return false
  const commit = (await resolveRevision(git, row, undefined))?.commit
  const tree = commit?.tree ?? null
  if (row.is_complete === 1 && row.tree_id === (tree ?? "")) return false
  const repository = git.at(row.storage, row.object_format)
  const changes = await changesOf(services, repositoryId, repository, row, tree, signal)
  if (row.version === null) await database.write((tx) => startIndex(tx, { repositoryId }))

  let version = row.version ?? 0
  let count = changes.stored ?? row.files_count ?? 0
  // What an interrupted run has left is not among the texts that a slice replaces.
  let isOne = row.is_complete !== 0
  for await (const { slice, isLast } of slicesOf(services, repositoryId, repository, changes, signal)) {
    isOne &&= isLast
    count = await database.write(async (tx) => {
      const { after, replaced } = await write(tx, services, repositoryId, slice, count)
      // A file of a later slice may have a text that one of this slice no longer has.
      if (isOne) await removeUnused(tx, { ids: replaced })
      else if (isLast) await removeAllUnused(tx, { repositoryId })
      const claimed = await claimIndex.changes(tx, {
        repositoryId,
        version,
        treeId: isLast ? (tree ?? "") : (row.tree_id ?? ""),
        commitId: commit?.id ?? "",
        isComplete: isLast ? 1 : 0,
        filesCount: after,
        now: services.now(),
      })
      if (claimed === 0) throw meanwhile(services)
      return after
    })
    version++
  }
  return true
}

const AGAIN_SECONDS = 5
const meanwhile = ({ now }: Services): NotYet => new NotYet("someone else indexes this repository", now() + AGAIN_SECONDS)

/** From the tree that was indexed; if there is no such tree, from the rows, which are counted then. */
async function changesOf(
  { database, git }: Services,
  repositoryId: number,
  repository: Repository,
  known: { readonly tree_id: string | null; readonly is_complete: number | null },
  tree: ObjectId | null,
  signal: AbortSignal,
): Promise<Changes & { readonly stored?: number }> {
  const before = known.is_complete === 1 && known.tree_id !== null && isObjectId(known.tree_id) ? known.tree_id : undefined
  const since = before && (await changesSince(git, repository, before, tree, signal))
  if (since) return since
  const put = new Map((await changesBetween(git, repository, null, tree, signal)).put)
  const removed: string[] = []
  let stored = 0
  for (let after: string | undefined = ""; after !== undefined; ) {
    const files: Awaited<ReturnType<typeof findFiles>> = await findFiles(database.read, { repositoryId, after, limit: BATCH })
    for (const { path, blob_id } of files) {
      const now = put.get(path)
      if (now === undefined) removed.push(path)
      else if (now === blob_id) put.delete(path)
    }
    stored += files.length
    after = files.length < BATCH ? undefined : files.at(-1)?.path
  }
  return { put, removed, stored }
}

/** The changes in portions; the last one, which may be empty, ends them. Only texts that are not stored yet are read. */
async function* slicesOf(
  { database, git }: Services,
  repositoryId: number,
  repository: Repository,
  { put, removed }: Changes,
  signal: AbortSignal,
): AsyncGenerator<{ readonly slice: Slice; readonly isLast: boolean }> {
  let files: { path: string; blobId: ObjectId | undefined }[] = []
  let texts = new Map<ObjectId, Text>()
  let bytes = 0
  const take = (): Slice => {
    const slice = { files, texts }
    files = []
    texts = new Map()
    bytes = 0
    return slice
  }

  async function read(blobId: ObjectId): Promise<string | undefined> {
    const info = await git.objects.info(repository, blobId)
    if (info?.type !== "blob" || info.size > LARGEST_FILE) return undefined
    return textOf(await git.objects.readBlob(repository, blobId))
  }

  for (const path of removed) {
    files.push({ path, blobId: undefined })
    if (files.length >= BATCH) yield { slice: take(), isLast: false }
  }
  const all = [...put]
  for (let at = 0; at < all.length; at += SLICE_FILES) {
    signal.throwIfAborted()
    const some = all.slice(at, at + SLICE_FILES)
    const blobIds = some.map(([, blobId]) => blobId)
    const stored = new Set((await findBlobs(database.read, { repositoryId, blobIds })).map(({ blob_id }) => blob_id))
    const unread = [...new Set(blobIds)].filter((blobId) => !stored.has(blobId))
    const contents = new Map(await mapInBatches(unread, async (id) => [id, await read(id)] as const))
    for (const [path, blobId] of some) {
      const content = contents.get(blobId)
      files.push({ path, blobId: stored.has(blobId) || content !== undefined ? blobId : undefined })
      if (content === undefined || texts.has(blobId)) continue
      texts.set(blobId, { content, grams: [gramOfRepository(repositoryId), ...gramsOf(content)] })
      bytes += content.length
      if (bytes < SLICE_BYTES) continue
      yield { slice: take(), isLast: false }
      await nextTurn()
    }
    if (files.length >= SLICE_FILES) yield { slice: take(), isLast: false }
    await nextTurn()
  }
  yield { slice: take(), isLast: true }
}

interface Written {
  /** How many files there are then. */
  readonly after: number
  /** The texts that files of the slice had before. */
  readonly replaced: readonly number[]
}

/** Writes the files of a slice. What was read before the transaction may be stored or gone by now. */
async function write(tx: Transaction, services: Services, repositoryId: number, slice: Slice, count: number): Promise<Written> {
  const paths = slice.files.map(({ path }) => path)
  if (paths.length === 0) return { after: count, replaced: [] }
  const before = await findBlobsOfPaths(tx, { repositoryId, paths })
  let left = MOST_FILES - (count - before.length)
  const kept = slice.files.flatMap(({ path, blobId }) => (blobId !== undefined && left-- > 0 ? [{ path, blobId }] : []))
  const known = new Map(
    (await findBlobs(tx, { repositoryId, blobIds: kept.map(({ blobId }) => blobId) })).map(({ id, blob_id }) => [blob_id, id]),
  )
  for (const { path, blobId } of kept) {
    const text = slice.texts.get(blobId)
    let blob: number | undefined = known.get(blobId)
    if (blob === undefined && text) {
      blob = (await insertBlob.first(tx, { repositoryId, blobId, content: text.content }))?.id
      if (blob !== undefined) await insertGrams(tx, { id: blob, grams: writtenGrams(services.database.kind, text.grams) })
    }
    if (blob === undefined) throw meanwhile(services)
    known.set(blobId, blob)
    await putFile(tx, { repositoryId, path, blob, language: languageOf(path.slice(path.lastIndexOf("/") + 1)) ?? "" })
  }
  const there = new Set(kept.map(({ path }) => path))
  const gone = paths.filter((path) => !there.has(path))
  if (gone.length > 0) await removeFiles(tx, { repositoryId, paths: gone })
  return { after: count - before.length + there.size, replaced: before.map((file) => file.code_blob_id) }
}

/** Indexes a repository after its default branch has moved. */
export const indexJob = defineJob({
  ...indexKind,
  timeoutSeconds: 4 * 3600,
  run: async ({ repositoryId }, { context, signal }) => void (await indexRepository(context, repositoryId, signal)),
})

/** Indexes what is not indexed yet, or was interrupted: after an upgrade every repository. It goes on where it was stopped. */
export const indexCode: Task = {
  name: "index_code",
  cron: "*/10 * * * *",
  run: async (services, signal) => {
    let indexed = 0
    let failed = 0
    for await (const { id } of rowsById((range) => findUnindexed(services.database.read, range))) {
      if (signal.aborted) break
      try {
        if (await indexRepository(services, id, signal)) indexed++
      } catch (error) {
        // One that is damaged, or is being removed, must not keep the others from it.
        if (signal.aborted) break
        failed++
        services.log.warn({ err: error, repository: id }, "a repository could not be indexed for code search")
      }
    }
    return failed === 0 ? `${indexed} indexed` : `${indexed} indexed, ${failed} failed`
  },
}

/** Compares the index of every repository with git, file by file. For administrators, who start it by name. */
export const rebuildCodeIndex: Task = {
  name: "rebuild_code_index",
  run: async (services, signal) => {
    await services.database.write((tx) => doubtIndexes(tx))
    return indexCode.run(services, signal)
  },
}

/** Has the default branch indexed when a push moves it. */
export const indexAfterPush: PushStep =
  async ({ services: { jobs }, changes }) =>
  async (tx, { repository: { id, default_branch }, now }) => {
    if (!changes.some(({ ref }) => branchOf(ref) === default_branch)) return
    await enqueueOnce(tx, jobs, indexKind, { repositoryId: id }, { runAt: now + GATHERING })
  }
