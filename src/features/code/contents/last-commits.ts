import { LRUCache } from "lru-cache"
import { onFirstUseOf } from "../../../core/memoize.ts"
import type { Commit, Git, ObjectId, Repository, TreeEntry, Waiting } from "../../../git/index.ts"
import { findEntry } from "./paths.ts"

/** The most commits walked for one response. Entries not changed within them are returned without a last commit. */
export const MOST_COMMITS = 20_000

/** Cache of the last commits of names in one directory, by repository, commit and directory. Entries never become stale. */
const knownBy = onFirstUseOf(
  (_: Git) => new LRUCache<string, ReadonlyMap<string, ObjectId>>({ maxSize: 200_000, sizeCalculation: (names) => names.size + 1 }),
)

/**
 * The last commit that changed each of these names in the directory, for all of them in one history walk back from `from`; a name follows the
 * first parent that has it unchanged, as in git's history simplification. A walk ends where an earlier one began, so that after a push only the new commits
 * are read. At most `limit` commits are walked; names that have not changed within them are missing from the result.
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
  const path = directory.join("/")
  const keyOf = (id: ObjectId): string => `${repository.key}\0${id}\0${path}`
  const before = cache.get(keyOf(from.id))
  if (before && names.every((name) => before.has(name))) return before.size === names.length ? before : only(names, before)
  const read = reader(git, repository, directory, names.length)
  const found = new Map<string, ObjectId>()
  const waiting = new Map<ObjectId, { readonly commit: Commit; readonly names: Set<string> }>([
    [from.id, { commit: from, names: new Set(names) }],
  ])
  for (let looked = 0; waiting.size > 0 && looked < limit; looked++) {
    if (looked === FEW_COMMITS && names.length > FEW_NAMES) {
      for (const [name, id] of await searchedByGit(git, repository, directory, waiting)) found.set(name, id)
      break
    }
    const { commit, names: pending } = newest(waiting.values())
    waiting.delete(commit.id)
    for (const [name, id] of cache.get(keyOf(commit.id)) ?? []) if (pending.delete(name)) found.set(name, id)
    if (pending.size === 0) continue
    const here = await read.directoryAt(commit)
    for (const parentId of commit.parents) {
      const parent = await read.commit(parentId)
      const there = await read.directoryAt(parent)
      const isSame = there === here
      for (const name of pending) {
        if (!isSame && there(name) !== here(name)) continue
        pending.delete(name)
        const next = waiting.get(parentId) ?? { commit: parent, names: new Set<string>() }
        next.names.add(name)
        waiting.set(parentId, next)
      }
      if (pending.size === 0) break
    }
    for (const name of pending) found.set(name, commit.id)
  }
  if (found.size === 0) return found
  cache.set(keyOf(from.id), new Map([...(cache.get(keyOf(from.id)) ?? []), ...found]))
  return found
}

const only = (names: readonly string[], of: ReadonlyMap<string, ObjectId>): ReadonlyMap<string, ObjectId> =>
  new Map(
    names.flatMap((name) => {
      const id = of.get(name)
      return id === undefined ? [] : [[name, id] as const]
    }),
  )

/** How many commits are looked at here before git, which compares large directories faster, does the rest. */
const FEW_COMMITS = 32
/** The most commits that git walks, and how long at a time. */
const [MOST_WALKED, WALK_MS, MOST_WALKS] = [1_000_000, 60_000, 5]

/** The rest of a search, by git. */
async function searchedByGit(
  git: Git,
  repository: Repository,
  directory: readonly string[],
  from: ReadonlyMap<ObjectId, { readonly names: ReadonlySet<string> }>,
): Promise<ReadonlyMap<string, ObjectId>> {
  const prefix = directory.map((part) => `${part}/`).join("")
  const found = new Map<string, ObjectId>()
  let waiting: Waiting = new Map([...from].map(([id, { names }]) => [id, new Set([...names].map((name) => prefix + name))]))
  for (let walks = 0; waiting.size > 0 && walks < MOST_WALKS; walks++) {
    const below = [directory.join("/")]
    const changes = await git.history.lastChanges(repository, { from: waiting, below, mostCommits: MOST_WALKED, timeoutMs: WALK_MS })
    for (const [path, id] of changes.found) found.set(path.slice(prefix.length), id)
    waiting = changes.waiting
  }
  return found
}

/** There are few parallel lines of history, so a linear search is cheap. */
function newest<T extends { readonly commit: Commit }>(waiting: Iterable<T>): T {
  const [first, ...others] = waiting
  if (first === undefined) throw new TypeError("nothing is waiting")
  return others.reduce((best, one) => (one.commit.committer.when > best.commit.committer.when ? one : best), first)
}

/** Looks up a name in a directory: its mode and id. */
type Listing = (name: string) => string | undefined

/** Up to this many names, a directory is searched for each name instead of indexed. */
const FEW_NAMES = 4

/** Reads commits and the directory in them. Most commits share the directory's tree, which is then read once. */
function reader(git: Git, repository: Repository, directory: readonly string[], names: number) {
  const commits = new LRUCache<ObjectId, Commit>({ max: 1000 })
  const directories = new LRUCache<ObjectId, Listing>({ max: 200 })
  const byRoot = new LRUCache<ObjectId, Listing>({ max: 1000 })
  const entryText = ({ mode, id }: TreeEntry): string => `${mode} ${id}`

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
      return found && entryText(found)
    }
  }

  function mapped(entries: readonly TreeEntry[]): Listing {
    const map = new Map(entries.map((entry) => [entry.name, entryText(entry)]))
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
