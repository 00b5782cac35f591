import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import { mapInBatches } from "../../../core/batches.ts"
import type { Handle } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Services } from "../../../core/services.ts"
import { waitAtMost } from "../../../core/timeout.ts"
import {
  type Commit,
  type Git,
  isObjectId,
  type LastChanges,
  type ObjectId,
  type Repository,
  type TreeEntry,
  type Waiting,
} from "../../../git/index.ts"
import { findEntry } from "../contents/paths.ts"
import { backgroundOf } from "../repositories/background.ts"
import { findSeedCommits, findSeeds, findTreeHistory, pruneTrees, putTree } from "./store.ts"

/** The last commits of the entries of directories, stored so that pages need not wait for git. A cache: rows may be removed at any time. */

/** The commit that an entry was last changed by. */
export interface LastCommit {
  readonly id: ObjectId
  /** The first line of its message, cut after 200 characters. */
  readonly subject: string
  readonly author: { readonly name: string; readonly email: string }
  /** Unix seconds. */
  readonly authoredAt: number
  readonly committedAt: number
}

export interface EntryHistory extends TreeEntry {
  /** Undefined while it is computed. */
  readonly last: LastCommit | undefined
}

export interface TreeHistory {
  /** In the order of git's tree. */
  readonly entries: readonly EntryHistory[]
  /** False while last commits are computed in the background: asked again later, more of them will be there. */
  readonly isComplete: boolean
}

/** The most entries of a directory whose last commits are computed; the first ones. */
const MOST_ENTRIES = 5_000
/** Directories with longer paths are not stored: an index of PostgreSQL can't hold them. In bytes. */
const LONGEST_PATH = 1_000
/** The most directories stored for one repository. */
const MOST_ROWS = 100
const MOST_COMMITS = 1_000_000
/** What one search may take. What it has found is kept, and the next one goes on from there. */
const SEARCH_MS = 40_000
const LONGEST_SUBJECT = 200
/** How long a request waits, in milliseconds. */
const WAIT_MS = 5

type StoredRepository = Pick<RepositoryRow, "id" | "storage" | "object_format">

/**
 * The entries of a directory at a commit, with the commit that last changed each of them, as `git log -1 <commit> -- <path>` finds it; undefined if there is no
 * such directory. One query; what is not stored is begun in the background, one directory at a time for each repository, and the caller waits a few
 * milliseconds for it at most.
 */
export async function treeHistory(
  services: Services,
  db: Handle,
  { repository }: { readonly repository: StoredRepository },
  commit: Commit,
  directory: readonly string[],
  waitMs = WAIT_MS,
): Promise<TreeHistory | undefined> {
  const { git } = services
  const storage = git.at(repository.storage, repository.object_format)
  const tree = await findEntry(git, storage, commit.tree, directory)
  if (tree?.mode !== "40000") return undefined
  const entries = await git.objects.readTree(storage, tree.id)
  const path = directory.join("/")
  const row = await findTreeHistory.first(db, { repositoryId: repository.id, path, treeId: tree.id })
  let known = row?.commit_id === commit.id ? readStored(row.entries) : undefined
  if (known?.waiting.size !== 0) {
    const work = backgroundOf(services).begin(repository.storage, `tree ${commit.id} ${path}`, async (signal) => {
      known = (await storeTreeHistories(services, repository, commit, [directory], signal)).get(path) ?? known
    })
    await waitAtMost(waitMs, work)
  }
  const { lasts, waiting } = known ?? NOTHING
  return {
    entries: entries.map((entry) => ({ ...entry, last: lasts.get(entry.name) })),
    isComplete: known !== undefined && waiting.size === 0,
  }
}

type Lasts = ReadonlyMap<string, LastCommit>

/** What is known of a directory, and where what isn't is to be looked for: names by commits. */
export interface KnownLasts {
  readonly lasts: Lasts
  readonly waiting: Waiting
}

const NOTHING: KnownLasts = { lasts: new Map(), waiting: new Map() }

/**
 * Computes and stores the last commits of the entries of these directories, which the commit has, in one walk that goes on where an earlier one for this commit has
 * stopped, and ends where one for an earlier commit began. What is found is stored on the way. Returns it by path; where there was too much for one search, names are
 * still waiting. Throws GitError.
 */
export async function storeTreeHistories(
  services: Services,
  repository: StoredRepository,
  commit: Commit,
  directories: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KnownLasts>> {
  const { git, database } = services
  const storage = git.at(repository.storage, repository.object_format)
  const read = await readDirectories(git, storage, commit, directories)
  const paths = read.map(({ path }) => path)
  const stored = await findSeedCommits(database.read, { repositoryId: repository.id, paths, limit: MOST_ROWS })
  // Each is read when it is needed: together they may be as many times as large as the directories.
  const unread = new Set(stored.map(({ commit_id }) => commit_id))
  const commits = new Map<ObjectId, LastCommit>()
  const known = new Map<ObjectId, Map<string, ObjectId>>()
  const told = new Map<string, KnownLasts>()
  const readSeeds = async (ids: readonly string[]): Promise<void> => {
    const commitIds = ids.filter((id) => unread.delete(id))
    if (commitIds.length === 0) return
    for (const { path, commit_id, entries } of await findSeeds(database.read, { repositoryId: repository.id, paths, commitIds })) {
      const seed = isObjectId(commit_id) ? readStored(entries) : undefined
      if (!isObjectId(commit_id) || !seed) continue
      if (commit_id === commit.id) told.set(path, seed)
      const there = known.get(commit_id) ?? new Map<string, ObjectId>()
      known.set(commit_id, there)
      for (const [name, last] of seed.lasts) {
        there.set(within(path, name), last.id)
        commits.set(last.id, last)
      }
    }
  }
  await readSeeds([commit.id])
  const trees = read.filter(({ path }) => told.get(path)?.waiting.size !== 0)
  if (trees.length === 0) return told
  const from = waitingIn(commit, trees, told)
  const keep = async (changes: LastChanges) => {
    await readLasts(git, storage, changes, commits)
    for (const tree of trees) told.set(tree.path, knownOf(tree, changes, commits, told.get(tree.path)))
    await store(services, repository, commit, trees, told)
  }
  const nearby = await nearbyChanges(git, storage, commit, trees, async (id) => {
    await readSeeds([id])
    return known.get(id)
  })
  if (!nearby) await readSeeds([...unread])
  await keep(
    nearby
      ? { found: nearby, waiting: new Map() }
      : await git.history.lastChanges(storage, {
          from,
          below: trees.map(({ path }) => path),
          known,
          mostCommits: MOST_COMMITS,
          timeoutMs: SEARCH_MS,
          signal,
          onProgress: keep,
        }),
  )
  return told
}

async function readDirectories(
  git: Git,
  storage: Repository,
  commit: Commit,
  directories: readonly (readonly string[])[],
): Promise<readonly Directory[]> {
  const read: Directory[] = []
  for (const directory of directories) {
    const tree = await findEntry(git, storage, commit.tree, directory)
    if (tree?.mode !== "40000") continue
    const entries = await git.objects.readTree(storage, tree.id)
    read.push({ path: directory.join("/"), id: tree.id, names: entries.slice(0, MOST_ENTRIES).map(({ name }) => name) })
  }
  return read
}

/** The paths that are to be looked for, by the commits to begin with. */
function waitingIn(commit: Commit, trees: readonly Directory[], told: ReadonlyMap<string, KnownLasts>): Waiting {
  const from = new Map<ObjectId, Set<string>>()
  for (const { path, names } of trees)
    for (const [id, some] of told.get(path)?.waiting ?? [[commit.id, names] as const]) {
      const there = from.get(id) ?? new Set()
      from.set(id, there)
      for (const name of some) there.add(within(path, name))
    }
  return from
}

/** What is known of a directory with what was found of it since. */
function knownOf(
  { path, names }: Directory,
  { found, waiting }: LastChanges,
  commits: ReadonlyMap<ObjectId, LastCommit>,
  before: KnownLasts = NOTHING,
): KnownLasts {
  const lasts = new Map(before.lasts)
  for (const name of names) {
    const id = found.get(within(path, name))
    const last = id && commits.get(id)
    if (last) lasts.set(name, last)
  }
  const rest = new Map<ObjectId, Set<string>>()
  const own = new Map(names.map((name) => [within(path, name), name]))
  for (const [id, paths] of waiting) {
    const here = [...paths].flatMap((each) => own.get(each) ?? [])
    if (here.length > 0) rest.set(id, new Set(here))
  }
  return { lasts, waiting: rest }
}

/** Reads the commits that were found and aren't known. */
async function readLasts(git: Git, storage: Repository, { found }: LastChanges, commits: Map<ObjectId, LastCommit>): Promise<void> {
  const unread = [...new Set(found.values())].filter((id) => !commits.has(id))
  for (const read of await mapInBatches(unread, (id) => git.objects.readCommit(storage, id))) commits.set(read.id, lastCommitOf(read))
}

async function store(
  { database, now }: Services,
  repository: StoredRepository,
  commit: Commit,
  trees: readonly Directory[],
  told: ReadonlyMap<string, KnownLasts>,
): Promise<void> {
  await database.write(async (tx) => {
    // It may have been deleted meanwhile.
    if (!(await lockRow(tx, "repositories", repository.id))) return
    for (const { path, id } of trees) {
      if (Buffer.byteLength(path) > LONGEST_PATH) continue
      const entries = writeStored(told.get(path) ?? NOTHING)
      await putTree(tx, { repositoryId: repository.id, path, treeId: id, commitId: commit.id, entries, now: now() })
    }
    await pruneTrees(tx, { repositoryId: repository.id, keep: MOST_ROWS - 1 })
  })
}

/** A directory with the names in it. */
interface Directory {
  readonly path: string
  readonly id: ObjectId
  readonly names: readonly string[]
}

const within = (path: string, name: string): string => (path === "" ? name : `${path}/${name}`)

/** The most commits that are looked at here before git is run. */
const NEARBY = 16

/**
 * The last changes where a few commits, one after the other, lead to one that all is known of, or to the first: most pushes are such, and need no process.
 * Undefined otherwise.
 */
async function nearbyChanges(
  git: Git,
  storage: Repository,
  commit: Commit,
  trees: readonly Directory[],
  knownAt: (id: ObjectId) => Promise<ReadonlyMap<string, ObjectId> | undefined>,
): Promise<ReadonlyMap<string, ObjectId> | undefined> {
  const found = new Map<string, ObjectId>()
  const pending = new Map(trees.map(({ path, names }) => [path, new Set(names)]))
  const settle = (path: string, name: string, id: ObjectId) => {
    if (pending.get(path)?.delete(name)) found.set(within(path, name), id)
  }
  const isDone = () => [...pending.values()].every(({ size }) => size === 0)
  let here: Commit = commit
  for (let looked = 0; looked < NEARBY; looked++) {
    const told = await knownAt(here.id)
    for (const [path, names] of pending)
      for (const name of [...names]) {
        const last = told?.get(within(path, name))
        if (last !== undefined) settle(path, name, last)
      }
    if (isDone()) return found
    const [parentId, ...others] = here.parents
    if (others.length > 0) return undefined
    const parent: Commit | undefined = parentId && (await git.objects.readCommit(storage, parentId))
    for (const [path, names] of pending) {
      const [now, before] = [await namesIn(git, storage, here, path), await namesIn(git, storage, parent, path)]
      for (const name of [...names]) if (now.get(name) !== before.get(name)) settle(path, name, here.id)
    }
    if (isDone()) return found
    if (parent === undefined) return undefined
    here = parent
  }
  return undefined
}

/** The modes and ids of what a directory has, by name; empty where there is no such directory. */
async function namesIn(git: Git, storage: Repository, commit: Commit | undefined, path: string): Promise<ReadonlyMap<string, string>> {
  const parts = path.split("/").filter((part) => part !== "")
  const tree = commit && (await findEntry(git, storage, commit.tree, parts))
  if (tree?.mode !== "40000") return new Map()
  return new Map((await git.objects.readTree(storage, tree.id)).map(({ name, mode, id }) => [name, `${mode} ${id}`]))
}

const lastCommitOf = ({ id, message, author, committer }: Commit): LastCommit => ({
  id,
  subject: (message.trimStart().split("\n", 1)[0] ?? "").slice(0, LONGEST_SUBJECT).toWellFormed(),
  author: { name: author.name, email: author.email },
  authoredAt: author.when,
  committedAt: committer.when,
})

// --- the stored form --------------------------------------------------------------------------------------------------------------

type StoredCommit = readonly [id: string, subject: string, name: string, email: string, authoredAt: number, committedAt: number]

/** Each commit once, for each name the place of its commit, and the names that are still looked for by the commits where they are. */
interface Stored {
  readonly commits: readonly StoredCommit[]
  readonly names: readonly (readonly [name: string, commit: number])[]
  readonly waiting?: readonly (readonly [id: string, names: readonly string[]])[]
}

function writeStored({ lasts, waiting }: KnownLasts): string {
  const places = new Map<ObjectId, number>()
  const commits: StoredCommit[] = []
  const names: [string, number][] = []
  for (const [name, { id, subject, author, authoredAt, committedAt }] of lasts) {
    const place = places.get(id) ?? commits.push([id, subject, author.name, author.email, authoredAt, committedAt]) - 1
    places.set(id, place)
    names.push([name, place])
  }
  const rest = [...waiting].map(([id, some]) => [id, [...some]] as const)
  return JSON.stringify({ commits, names, ...(rest.length > 0 && { waiting: rest }) } satisfies Stored)
}

/** Undefined for what an other version wrote. */
function readStored(text: string): KnownLasts | undefined {
  const stored: Partial<Stored> | null = JSON.parse(text)
  if (!stored || !Array.isArray(stored.commits) || !Array.isArray(stored.names)) return undefined
  const { commits, names, waiting = [] } = stored
  const read = commits.map(([id, subject, name, email, authoredAt, committedAt]: StoredCommit) =>
    isObjectId(id) ? { id, subject, author: { name, email }, authoredAt, committedAt } : undefined,
  )
  return {
    lasts: new Map(names.flatMap(([name, place]: readonly [string, number]) => (read[place] ? [[name, read[place]] as const] : []))),
    waiting: new Map(waiting.flatMap(([id, some]) => (isObjectId(id) ? [[id, new Set(some)] as const] : []))),
  }
}
