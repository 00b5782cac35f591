import { LRUCache } from "lru-cache"
import type { Commit, Git, ObjectId, Repository, TreeEntry } from "../../../git/index.ts"
import { findEntry } from "./paths.ts"

/** Commits that one answer looks at. What has not been changed within them is answered without its last commit. */
export const MOST_COMMITS = 20_000

/** The last commits of names in one directory, as far as anybody asked, by repository, commit and directory: they can never become others. */
type Known = LRUCache<string, ReadonlyMap<string, ObjectId>>

const known = new WeakMap<Git, Known>()

function knownBy(git: Git): Known {
  const there = known.get(git)
  if (there) return there
  const made: Known = new LRUCache({ maxSize: 200_000, sizeCalculation: (names) => names.size + 1 })
  known.set(git, made)
  return made
}

/**
 * The last commit that changed each of these names in the directory, for all of them in one walk back from `from`; a name is followed along the
 * first parent that has it unchanged, as git itself tells it. A walk ends where an earlier one began, so that after a push only the new commits
 * are read. `limit` commits are looked at; names that have not changed within them are missing from the answer.
 */
export async function lastCommits(
  git: Git,
  repository: Repository,
  from: Commit,
  directory: readonly string[],
  names: readonly string[],
  limit = MOST_COMMITS,
): Promise<ReadonlyMap<string, ObjectId>> {
  const cache = knownBy(git)
  const keyOf = (id: ObjectId): string => `${repository.key}\0${id}\0${directory.join("/")}`
  const read = reader(git, repository, directory, names.length)
  const found = new Map<string, ObjectId>()
  const waiting = new Map<ObjectId, { readonly commit: Commit; readonly names: Set<string> }>([
    [from.id, { commit: from, names: new Set(names) }],
  ])
  for (let looked = 0; waiting.size > 0 && looked < limit; looked++) {
    const { commit, names: pending } = newest(waiting.values())
    waiting.delete(commit.id)
    for (const [name, id] of cache.get(keyOf(commit.id)) ?? []) if (pending.delete(name)) found.set(name, id)
    if (pending.size === 0) continue
    const here = await read.directoryAt(commit)
    for (const parentId of commit.parents) {
      const parent = await read.commit(parentId)
      const there = await read.directoryAt(parent)
      for (const name of pending) {
        if (there(name) !== here(name)) continue
        pending.delete(name)
        const next = waiting.get(parentId) ?? { commit: parent, names: new Set<string>() }
        next.names.add(name)
        waiting.set(parentId, next)
      }
      if (pending.size === 0) break
    }
    for (const name of pending) found.set(name, commit.id)
  }
  const before = cache.get(keyOf(from.id)) ?? []
  if (found.size > 0) cache.set(keyOf(from.id), new Map([...before, ...found]))
  return found
}

/** Branches that run beside each other are few, so that looking at all of them costs nothing. */
function newest<T extends { readonly commit: Commit }>(waiting: Iterable<T>): T {
  const [first, ...others] = waiting
  if (first === undefined) throw new TypeError("nothing is waiting")
  return others.reduce((best, one) => (one.commit.committer.when > best.commit.committer.when ? one : best), first)
}

/** What stands in a directory under a name: its mode and id. */
type Listing = (name: string) => string | undefined

/** With so few names a directory is looked through for each, rather than put in order for all. */
const FEW_NAMES = 4

/** Reads commits and the directory in them; commits mostly share the directory, and then it is read once. */
function reader(git: Git, repository: Repository, directory: readonly string[], names: number) {
  const commits = new LRUCache<ObjectId, Commit>({ max: 1000 })
  const directories = new LRUCache<ObjectId, Listing>({ max: 200 })
  const byRoot = new LRUCache<ObjectId, Listing>({ max: 1000 })
  const told = ({ mode, id }: TreeEntry): string => `${mode} ${id}`

  async function listed(id: ObjectId): Promise<Listing> {
    const there = directories.get(id)
    if (there) return there
    const entries = await git.objects.readTree(repository, id)
    const listing = names <= FEW_NAMES ? searched(entries) : mapped(entries)
    directories.set(id, listing)
    return listing
  }

  function searched(entries: readonly TreeEntry[]): Listing {
    return (name) => {
      const found = entries.find((entry) => entry.name === name)
      return found && told(found)
    }
  }

  function mapped(entries: readonly TreeEntry[]): Listing {
    const map = new Map(entries.map((entry) => [entry.name, told(entry)]))
    return (name) => map.get(name)
  }

  return {
    async commit(id: ObjectId): Promise<Commit> {
      const there = commits.get(id)
      if (there) return there
      const commit = await git.objects.readCommit(repository, id)
      commits.set(id, commit)
      return commit
    },
    /** The mode and id of each name in the directory, as of a commit. */
    async directoryAt({ tree }: Commit): Promise<Listing> {
      const there = byRoot.get(tree)
      if (there) return there
      const entry: TreeEntry | undefined = await findEntry(git, repository, tree, directory)
      const listing = entry?.mode === "40000" ? await listed(entry.id) : () => undefined
      byRoot.set(tree, listing)
      return listing
    },
  }
}
