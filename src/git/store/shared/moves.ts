import { AsyncLocalStorage } from "node:async_hooks"
import { GitError } from "../../model/errors.ts"
import type { RefUpdate, Repository } from "../../model/model.ts"
import { isObjectId, type ObjectId, type RefName } from "../../model/names.ts"
import { indexLast } from "../../objects/folders.ts"
import { moveLooseObjects, type NewObject, storeLooseObjects } from "../../objects/loose.ts"
import { objectInfo } from "../../objects/objects.ts"
import type { Context } from "../../process/context.ts"
import { linkOrCopy } from "../../process/files.ts"
import type { Move, NewPack } from "../store.ts"
import { type Cache, type Cached, currentOf, packPath, viewOf } from "./cache.ts"
import { collect } from "./collect.ts"
import type { CacheFolders } from "./folders.ts"
import { contentsOf, heldObjects, packIds, SMALL_PACK, smallPack, storePacks } from "./packing.ts"
import { makePlain } from "./plain.ts"
import type { PackFiles } from "./records.ts"
import { dropOldStaging } from "./staging.ts"

/** Changes of references that are being prepared: see `Move`. */

interface MovesSettings {
  readonly files: PackFiles
  readonly folders: CacheFolders
  readonly cache: Cache
  /** The repository as the rows are now. Throws `missing`. */
  readonly present: (repository: Repository) => Promise<Cached>
}

interface OpenMove extends Move {
  readonly add: (updates: readonly RefUpdate[]) => Promise<void>
}

export interface Moves {
  readonly begin: (repository: Repository, updates: readonly RefUpdate[]) => Promise<OpenMove>
  /** The move that has this view. */
  readonly joined: (view: Repository) => OpenMove | undefined
  /** The view of a move, for what runs within it. */
  readonly viewNow: (key: string) => Repository | undefined
}

/** Objects of a change, and how they get into this process's cache. */
interface Packed {
  readonly packs: readonly NewPack[]
  readonly store: (objects: string) => Promise<void>
  /** Removes what was made on the way. */
  readonly close: () => Promise<void>
}

const nothing = async (): Promise<void> => {}
const NONE: Packed = { packs: [], store: nothing, close: nothing }

/** Both together. */
const joint = (a: Packed, b: Packed): Packed => ({
  packs: [...a.packs, ...b.packs],
  store: async (objects) => {
    await a.store(objects)
    await b.store(objects)
  },
  close: async () => {
    await a.close()
    await b.close()
  },
})

export function openMoves(context: Context, { files, folders, cache, present }: MovesSettings): Moves {
  const open = new WeakMap<Repository, OpenMove>()
  const views = new AsyncLocalStorage<Repository>()

  async function begin(repository: Repository, first: readonly RefUpdate[]): Promise<OpenMove> {
    const { key, format } = repository
    const cached = await present(repository)
    const own = viewOf(folders, key, format)
    dropOldStaging(own.staging)
    const epoch = repository.quarantine === undefined ? cached.stored.epoch : (repository.epoch ?? cached.stored.epoch)
    const moved = new Map<RefName, ObjectId | null>()
    const updates = new Map<RefName, RefUpdate>()
    // Steps that follow from a push may write objects of their own.
    const borrows = repository.quarantine === undefined ? own.borrows : [...(repository.borrows ?? []), own.staging]
    const view: Repository = { ...repository, staging: own.staging, borrows, moved }
    /** What is seen without objects that no transaction has taken. */
    const published: Repository =
      repository.quarantine === undefined ? { key, directory: own.directory, format, borrows: [cached.objects] } : repository
    const named = new Set(cached.references.values())
    let packed = NONE

    async function add(more: readonly RefUpdate[]): Promise<void> {
      for (const update of more) {
        const { name, from, to } = update
        const current = moved.has(name) ? moved.get(name) : cached.references.get(name)
        if (from !== undefined && (from ?? undefined) !== (current ?? undefined)) {
          const detail = `${name} is at ${current ?? "nothing"} but expected ${from ?? "nothing"}`
          throw new GitError("conflict", "a reference was changed by another process", detail)
        }
        if (to !== null) await requireNameable(view, name, to)
        const before = updates.get(name)
        updates.set(name, before ? { ...update, ...(before.from !== undefined && { from: before.from }) } : update)
        moved.set(name, to)
      }
    }

    async function requireNameable(seen: Repository, name: RefName, id: ObjectId): Promise<void> {
      const type = (await objectInfo(context, seen, id))?.type
      if (type === undefined) throw new GitError("failed", "a reference can't name an object that is missing", id)
      if (name.startsWith("refs/heads/") && type !== "commit") throw new GitError("failed", "a branch can name only a commit", id)
    }

    async function seal() {
      const pushed = repository.quarantine === undefined ? NONE : await packQuarantine({ ...repository, quarantine: repository.quarantine })
      const firstIds = new Set(repository.quarantine === undefined ? [] : first.flatMap(({ to }) => to ?? []))
      const ids = [...updates.values()].flatMap(({ to }) => (to === null || firstIds.has(to) ? [] : [to]))
      const collected = await collect(
        context,
        { ...view, staging: own.staging },
        {
          ids,
          counts: (id) => named.has(id) || firstIds.has(id),
          published,
          most: 16 * SMALL_PACK,
        },
      )
      const written = collected.ids.length === 0 ? NONE : await pack(view, own.staging, collected.ids, collected.objects)
      packed = joint(pushed, written)
      const all = [...updates.values()]
      const mayLeave = (update: RefUpdate): boolean => {
        if (update.from === null) return false
        if (first.includes(update) && repository.quarantine !== undefined) return update.to === null || update.forced !== false
        return update.from === undefined || !collected.met.has(update.from)
      }
      return { key, epoch, updates: all, packs: packed.packs, leavesBehind: all.some(mayLeave) }
    }

    const move: OpenMove = {
      view,
      within: (work) => views.run(view, work),
      seal,
      add,
      made: (versions) => cache.made(key, versions, { updates: moved, packs: packed.packs, store: packed.store }),
      close: () => packed.close(),
    }
    open.set(view, move)
    await add(first)
    return move
  }

  async function packQuarantine(repository: Repository & { readonly quarantine: string }): Promise<Packed> {
    const { format, quarantine } = repository
    const { loose, hasPacks } = await contentsOf(repository, (text): text is ObjectId => isObjectId(text, format))
    const held = loose.length === 0 ? [] : await heldObjects(context, repository, loose)
    const small = loose.length === 0 ? NONE : await pack(repository, quarantine, loose, held)
    if (!hasPacks) return small
    const packs = await storePacks(files, quarantine)
    return joint({ packs, store: (objects) => place(quarantine, objects, packs), close: nothing }, small)
  }

  /** Packs objects of a view, which lie in a directory: in a row, or where that is too much in files. */
  async function pack(view: Repository, from: string, ids: readonly ObjectId[], held: readonly NewObject[] | undefined): Promise<Packed> {
    const small = held && (await smallPack(view.format, held))
    if (small && held) {
      const { key, directory, format } = view
      const store = async (objects: string) => {
        // Another change with the same object may have taken it.
        const gone = await moveLooseObjects(context, from, { objects, seenAs: currentOf(folders, key) }, held)
        if (gone.length > 0) await storeLooseObjects(context, { key, directory, format, staging: objects }, gone)
      }
      return { packs: [small], store, close: nothing }
    }
    const plain = await makePlain(folders, view.format)
    try {
      await packIds(context, view, ids, plain.objects)
      const packs = await storePacks(files, plain.objects)
      return { packs, store: (to) => place(plain.objects, to, packs), close: plain.close }
    } catch (error) {
      await plain.close()
      throw error
    }
  }

  return {
    begin,
    joined: (view) => open.get(view),
    viewNow: (key) => {
      const view = views.getStore()
      return view?.key === key ? view : undefined
    },
  }
}

/** Links the files of packs from one object directory to another. */
export async function place(from: string, to: string, packs: readonly NewPack[]): Promise<void> {
  for (const { id, files: endings } of packs)
    for (const ending of indexLast(endings)) await linkOrCopy(packPath(from, id, ending), packPath(to, id, ending))
}
