import { mkdir, rename } from "node:fs/promises"
import { join } from "node:path"
import { GitError } from "../../model/errors.ts"
import type { Repository } from "../../model/model.ts"
import { branchRef, isObjectId, type ObjectFormat, type RefName } from "../../model/names.ts"
import type { Context } from "../../process/context.ts"
import { createLimiter, ownCaller } from "../../process/limits.ts"
import { packFrom } from "../../repositories/left-behind.ts"
import { locate } from "../../repositories/repository.ts"
import { makeMove } from "../move.ts"
import type { RepositoryStore } from "../store.ts"
import { type Cached, openCache, viewOf } from "./cache.ts"
import { cacheFolders } from "./folders.ts"
import { openMoves, place } from "./moves.ts"
import { contentsOf, storePacks } from "./packing.ts"
import { makePlain } from "./plain.ts"
import type { SharedStoreOptions } from "./records.ts"
import { openRepacking } from "./repacking.ts"
import { distrustAfterBoot, showLife, sweepCache } from "./sweep.ts"
import { openTrimming } from "./trim.ts"

/*
 * Repositories as rows of the database, with their objects in packs: small ones in rows, larger ones in an object store. The transaction that moves references
 * is what counts. The disk of a server holds a cache of all that, in which git is run. See docs/scaling.md.
 */

/** For how long a repository that was looked at is taken for new, in milliseconds. */
const FRESH_MS = 1_000
/** What was used within this time stays in the cache, in milliseconds: most of git's work is done by then. */
const BUSY_MS = 120_000
/** Above these, a repack makes it cheaper to serve. */
const MOST_PACKS = 50
const MOST_UNMAPPED = 4 * 2 ** 20

export function openSharedStore(context: Context, { records, files, root, cacheBytes }: SharedStoreOptions): RepositoryStore {
  const folders = cacheFolders(root, context.worker)
  const { limits } = context
  distrustAfterBoot(folders)
  showLife(folders)
  sweepCache(folders).catch((error: unknown) =>
    context.log({ level: "warn", message: "the cache of repositories could not be swept", detail: String(error) }),
  )
  const fills = createLimiter({ name: "fills", total: 16, perRepository: 8, queue: limits.queue, waitMs: limits.transferMs })
  const trimming = openTrimming({ folder: join(root, "objects"), most: cacheBytes, keptMs: limits.transferMs, busyMs: BUSY_MS })
  const cache = openCache(context, { records, files, folders, fills, trimming })
  const seen = new WeakMap<object, Map<string, number>>()

  async function ready(repository: Repository): Promise<void> {
    await Promise.all((repository.parts ?? [repository]).map((part) => readyFor(holderOf(part), part.key)))
  }

  /** A request looks once, and a job once for each time that it looks the repository up. */
  const holderOf = (repository: Repository): object => {
    const caller = context.caller()
    return caller === ownCaller ? repository : caller
  }

  async function readyFor(holder: object, key: string): Promise<void> {
    const keys = seen.get(holder) ?? new Map<string, number>()
    seen.set(holder, keys)
    const last = keys.get(key)
    if (last !== undefined && performance.now() - last < FRESH_MS) return
    const now = performance.now()
    await cache.ready(key)
    keys.set(key, now)
  }

  async function present({ key }: Repository): Promise<Cached> {
    const cached = await cache.ready(key)
    if (!cached) throw new GitError("missing", "no such repository", key)
    return cached
  }

  const { begin, joined, viewNow } = openMoves(context, { files, folders, cache, present })

  const at = (key: string, format: ObjectFormat): Repository => viewNow(key) ?? viewOf(folders, locate(context, key, format).key, format)

  const update: RepositoryStore["update"] = async (repository, updates, { signal } = {}) => {
    if (updates.length === 0) return
    const move = joined(repository)
    if (move) return move.add(updates)
    await makeMove(begin, repository, updates, async ({ seal, made }) => {
      const change = await seal()
      if (signal?.aborted) throw new GitError("aborted", "the client is gone")
      await made(await records.commit(change))
    })
  }

  async function migrate(quarantined: Repository & { readonly quarantine: string }): Promise<void> {
    const { key, format, quarantine } = quarantined
    const isId = (text: string) => isObjectId(text, format)
    const { loose, hasPacks } = await contentsOf(quarantined, isId)
    const staging = viewOf(folders, key, format).staging
    for (const folder of new Set(loose.map((id) => id.slice(0, 2)))) await mkdir(join(staging, folder), { recursive: true })
    // An object comes before those that name it in no order that matters: nothing reads them by names of references yet.
    for (const id of loose) await rename(join(quarantine, id.slice(0, 2), id.slice(2)), join(staging, id.slice(0, 2), id.slice(2)))
    if (hasPacks) {
      const { stored } = await present(quarantined)
      const packs = await storePacks(files, quarantine)
      const change = { key, epoch: quarantined.epoch ?? stored.epoch, updates: [], packs, leavesBehind: true }
      const versions = await records.commit(change)
      await cache.made(key, versions, {
        updates: new Map(),
        packs,
        store: (objects) => place(quarantine, objects, packs),
      })
    }
    context.readers.adopt(quarantined, at(key, format))
  }

  async function fork(from: Repository, key: string, keep: (ref: RefName) => boolean): Promise<Repository> {
    const { stored, references } = await present(from)
    const target = at(key, stored.format)
    const kept = [...references].filter(([name]) => keep(name)).map(([name, id]) => ({ name, id }))
    const made = { key, format: stored.format, head: stored.head, references: kept }
    const isExact = !stored.mayHaveLeftBehind && kept.length === references.size
    if (kept.length === 0) await records.create(made)
    else if (isExact) await records.create({ ...made, packsOf: from.key })
    else {
      const plain = await makePlain(folders, stored.format)
      try {
        const ids = [...new Set(kept.map(({ id }) => id))]
        await packFrom(context, from, ids, { key, directory: plain.directory, format: stored.format })
        await records.create({ ...made, packs: await storePacks(files, plain.objects) })
      } finally {
        await plain.close()
      }
    }
    return target
  }

  return {
    at,
    async open(key) {
      const { key: plain } = locate(context, key, "sha1")
      const stored = await records.find(plain)
      if (!stored) throw new GitError("missing", "no such repository", key)
      return at(plain, stored.format)
    },
    ready,
    renew: async ({ key }) => void (await cache.ready(key)),
    async create(key, { format, branch }) {
      const made = at(key, format)
      await records.create({ key: made.key, format, head: branchRef(branch), references: [] })
      return made
    },
    async remove(repository) {
      await context.readers.closeRepository(repository)
      await records.remove(repository.key)
      await cache.drop(repository.key)
    },
    exists: async ({ key }) => (await records.find(key)) !== undefined,
    isGone: async ({ key }) => (await records.find(key)) === undefined,
    sweep: () => sweepCache(folders),
    async size({ key }) {
      const stored = await records.find(key)
      if (!stored) throw new GitError("missing", "no such repository", key)
      return stored.size
    },
    fork,
    async setHead({ key }, ref) {
      if (!ref.startsWith("refs/heads/")) throw new GitError("invalid", "HEAD can name only a branch", ref)
      if (!(await records.setHead(key, ref))) throw new GitError("missing", "no such repository", key)
      await cache.ready(key)
    },
    update,
    begin,
    async receiving(repository) {
      const { stored, objects } = await present(repository)
      const { key, directory, format } = repository
      return { key, directory, format, borrows: [objects], epoch: stored.epoch }
    },
    migrate,
    async needsMaintenance({ key }) {
      const stored = await records.find(key)
      return stored !== undefined && (stored.packs > MOST_PACKS || stored.size - stored.packedSize > MOST_UNMAPPED)
    },
    // They are rows here, and always packed in the files that git reads.
    packReferences: async () => {},
    async hasLeftBehind({ key }, before) {
      const stored = await records.find(key)
      return stored !== undefined && (stored.mayHaveLeftBehind || (stored.asideSince > 0 && stored.asideSince < before))
    },
    maintain: openRepacking(context, { records, files, folders, cache, present }),
  }
}
