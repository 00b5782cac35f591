import type { ObjectType, Repository, TreeEntry } from "../model/model.ts"
import type { ObjectId } from "../model/names.ts"
import { hashObject, type NewObject, storeLooseObjects } from "../objects/loose.ts"
import { asBuffer, formatCommit, formatTree, type NewCommit, treeEntries } from "../objects/objects.ts"
import { parseCommit } from "../objects/parse.ts"
import { keyIn } from "../process/cache.ts"
import type { Context } from "../process/context.ts"
import { type Inspected, storeInspected, toInspect } from "./unfit.ts"

/** New objects that are stored together. Ids are known immediately, but no object exists before all are stored. */
export interface ObjectBatch {
  blob(content: Uint8Array | string): ObjectId
  /**
   * `replaces` are the entries of a stored tree that this one follows: what is the same in both has been checked. Throws `invalid` for a name that must
   * not stand in a tree, or for a name twice.
   */
  tree(entries: readonly TreeEntry[], replaces?: readonly TreeEntry[]): ObjectId
  /** Throws `invalid` for a person without a name, or with an impossible time. */
  commit(commit: NewCommit): ObjectId
  /**
   * Stores all added objects, as durably as single ones, and returns the bytes that they take. Starts no process unless a tree has a new file that git
   * checks in a push, such as `.gitmodules`; then they are taken in like a push. Throws `unfit`, and stores nothing, where git would refuse that.
   */
  store(): Promise<number>
}

/** Opens a batch. The objects that an object names must be in the repository, or added before it. */
export function openBatch(context: Context, repository: Repository): ObjectBatch {
  const pending = new Map<ObjectId, NewObject>()
  const trees = new Map<ObjectId, readonly TreeEntry[]>()
  const inspected: Inspected[] = []
  const { cache } = context
  // The caller is about to read them.
  const remember: (() => void)[] = []

  function add(type: ObjectType, content: Buffer): ObjectId {
    const id = hashObject(repository.format, type, content)
    if (!pending.has(id)) pending.set(id, { id, type, content })
    return id
  }

  /** The path of a tree of this batch, with a slash at its end; empty for a root. */
  function folderOf(tree: ObjectId): string {
    for (const [above, entries] of trees) {
      const entry = entries.find(({ id, mode }) => id === tree && mode === "40000")
      if (entry) return `${folderOf(above)}${entry.name}/`
    }
    return ""
  }

  return {
    blob: (content) => add("blob", asBuffer(content)),
    tree(given, replaces = []) {
      const entries = treeEntries(repository, given)
      const id = add("tree", formatTree(entries))
      trees.set(id, entries)
      inspected.push(...toInspect(entries, replaces).map((entry) => ({ ...entry, tree: id })))
      remember.push(() => cache.trees.set(keyIn(repository, id), entries))
      return id
    },
    commit(commit) {
      const content = formatCommit(commit)
      const id = add("commit", content)
      remember.push(() => cache.commits.set(keyIn(repository, id), parseCommit(id, content)))
      return id
    },
    async store() {
      await context.store().ready?.(repository)
      const objects = [...pending.values()]
      const size =
        inspected.length === 0
          ? await storeLooseObjects(context, repository, objects)
          : await storeInspected(
              context,
              repository,
              objects,
              inspected.map((one) => ({ ...one, name: `${folderOf(one.tree)}${one.name}` })),
            )
      for (const keep of remember) keep()
      return size
    },
  }
}

/** Stores a directory. Throws as a batch's `tree` and `store` do. */
export async function writeTree(context: Context, repository: Repository, entries: readonly TreeEntry[]): Promise<ObjectId> {
  const batch = openBatch(context, repository)
  const id = batch.tree(entries)
  await batch.store()
  return id
}
