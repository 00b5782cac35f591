import { keyIn } from "./cache.ts"
import type { Context } from "./context.ts"
import { hashObject, type NewObject, storeLooseObjects } from "./loose.ts"
import type { ObjectType, Repository, TreeEntry } from "./model.ts"
import type { ObjectId } from "./names.ts"
import { asBuffer, formatCommit, formatTree, type NewCommit, treeEntries } from "./objects.ts"
import { parseCommit } from "./parse.ts"

/** New objects that are stored together. Ids are known immediately, but no object exists before all are stored. */
export interface ObjectBatch {
  blob(content: Uint8Array | string): ObjectId
  /** Throws `invalid` for a name that must not stand in a tree, or for a name twice. */
  tree(entries: readonly TreeEntry[]): ObjectId
  /** Throws `invalid` for a person without a name, or with an impossible time. */
  commit(commit: NewCommit): ObjectId
  /** Stores all added objects, as durably as single ones, and returns the bytes that they take. */
  store(): Promise<number>
}

/** Opens a batch. The objects that an object names must be in the repository, or added before it. */
export function openBatch(context: Context, repository: Repository): ObjectBatch {
  const pending = new Map<ObjectId, NewObject>()
  const { cache } = context
  // The caller is about to read them.
  const remember: (() => void)[] = []

  function add(type: ObjectType, content: Buffer): ObjectId {
    const id = hashObject(repository.format, type, content)
    if (!pending.has(id)) pending.set(id, { id, type, content })
    return id
  }

  return {
    blob: (content) => add("blob", asBuffer(content)),
    tree(given) {
      const entries = treeEntries(repository, given)
      const id = add("tree", formatTree(entries))
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
      const size = await storeLooseObjects(context, repository, [...pending.values()])
      for (const keep of remember) keep()
      return size
    },
  }
}
