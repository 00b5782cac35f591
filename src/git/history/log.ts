import { GitError } from "../model/errors.ts"
import type { Commit, Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import { readCommit, readCommitHere, readCommits, readTree } from "../objects/objects.ts"
import { keyIn } from "../process/cache.ts"
import type { Context } from "../process/context.ts"

/** Which commits to list, newest first. */
export interface LogOptions {
  /** The commits to begin with; they and all before them are listed. */
  readonly to: readonly ObjectId[]
  /** These and all before them are excluded. */
  readonly not?: readonly ObjectId[] | undefined
  /** Only commits that changed this file, or something below this directory. */
  readonly path?: string | undefined
  /** Only commits made at this second or later. */
  readonly since?: number | undefined
  /** Only commits made at this second or earlier. */
  readonly until?: number | undefined
  readonly skip: number
  readonly limit: number
}

/** A page of a history, and the length of the whole. */
export interface Log {
  readonly commits: readonly Commit[]
  readonly total: number
}

/** The most commits that are walked here, by their dates, before git is run: a page or a few. */
const WALKED = 500

/**
 * A page of a history, in git's own order: newest first by the committers' clocks, and as the parents lead. The length of the whole is counted once;
 * first pages of a history that was counted before, and pages that were read before, cost no process. Throws `failed` or `missing` when a commit is missing.
 */
export async function log(context: Context, repository: Repository, options: LogOptions): Promise<Log> {
  const { skip, limit } = options
  const known = context.cache.counts.get(keyOf(repository, options))
  const key = pageKey(repository, options)
  const seen = known === undefined ? undefined : context.cache.pages.get(key)
  if (known !== undefined && seen !== undefined) return { commits: await readCommits(context, repository, seen), total: known }
  const added = known !== undefined && isWhole(options) ? undefined : await addedTo(context, repository, options)
  const total = known ?? added?.total ?? (isWhole(options) ? await countWhole(context, repository, options) : undefined)
  if (total !== undefined && (skip >= total || limit === 0)) return { commits: [], total }
  if (total !== undefined && isWhole(options) && skip + limit <= WALKED) {
    return { commits: (await walk(context, repository, options.to, skip + limit)).slice(skip), total }
  }
  const page = added && pageWith(context, repository, options, added)
  const listed = page !== undefined && total !== undefined ? { ids: page, total } : await list(context, repository, options, total)
  if (repository.quarantine === undefined) context.cache.pages.set(key, listed.ids)
  return { commits: await readCommits(context, repository, listed.ids), total: listed.total }
}

/**
 * A page of a history, without counting the whole: git stops where the page ends, and the first commits of a whole history cost no process. Throws `failed` or
 * `missing` when a commit is missing.
 */
export async function logPage(context: Context, repository: Repository, options: LogOptions): Promise<readonly Commit[]> {
  const { to, skip, limit } = options
  if (isWhole(options) && skip + limit <= WALKED) return (await walk(context, repository, to, skip + limit)).slice(skip)
  const key = pageKey(repository, options)
  const known = context.cache.pages.get(key)
  if (known !== undefined) return readCommits(context, repository, known)
  const { ids } = await list(context, repository, options, skip + limit)
  if (repository.quarantine === undefined) context.cache.pages.set(key, ids)
  return readCommits(context, repository, ids)
}

/** Whether the history is complete, without filters. */
const isWhole = ({ not = [], path, since, until }: LogOptions): boolean =>
  not.length === 0 && path === undefined && since === undefined && until === undefined

const keyOf = (repository: Repository, { to, not = [], path, since, until }: LogOptions): string =>
  keyIn(repository, to.join(), not.join(), String(since ?? ""), String(until ?? ""), path === undefined ? "" : `/${path}`)

const pageKey = (repository: Repository, options: LogOptions): string => `${keyOf(repository, options)}\0${options.skip}\0${options.limit}`

/** How many commits of a linear history are checked to find one whose history was counted. */
const LINE = 64

/** A history as one that was counted before, with the commits of it that have come since, newest first. */
interface Added {
  readonly total: number
  readonly before: LogOptions
  readonly commits: readonly ObjectId[]
}

/** Finds a history whose length is cached that a few commits, one after the other, were added to. Undefined where there is none, or a time limits it. */
async function addedTo(context: Context, repository: Repository, options: LogOptions): Promise<Added | undefined> {
  const { counts } = context.cache
  const { to, not = [], path, since, until } = options
  if (to.length !== 1 || not.length > 0 || since !== undefined || until !== undefined) return undefined
  const line: Commit[] = []
  let next = to[0]
  let known: number | undefined
  for (
    ;
    known === undefined && line.length < LINE;
    known = next === undefined ? 0 : counts.get(keyOf(repository, { ...options, to: [next] }))
  ) {
    const commit: Commit | undefined = next && (await readCommit(context, repository, next))
    if (commit === undefined || commit.parents.length > 1) return undefined
    line.push(commit)
    next = commit.parents[0]
  }
  if (known === undefined) return undefined
  const commits: ObjectId[] = []
  for (const [index, commit] of line.entries()) {
    const parent = line[index + 1] ?? (next && (await readCommit(context, repository, next)))
    if (path === undefined || (await changes(context, repository, commit, parent, path))) commits.push(commit.id)
  }
  const total = known + commits.length
  if (repository.quarantine === undefined) counts.set(keyOf(repository, options), total)
  return { total, before: { ...options, to: next === undefined ? [] : [next] }, commits }
}

/** Whether a commit and its only parent differ in what is at a path. */
async function changes(
  context: Context,
  repository: Repository,
  commit: Commit,
  parent: Commit | undefined,
  path: string,
): Promise<boolean> {
  let [here, there]: readonly [string | undefined, string | undefined] = [`40000 ${commit.tree}`, parent && `40000 ${parent.tree}`]
  for (const name of path.split("/")) {
    if (here === there) return false
    here = await entryIn(context, repository, here, name)
    there = await entryIn(context, repository, there, name)
  }
  return here !== there
}

/** Mode and id of a name in what has this mode and id; undefined where that is no directory or has no such name. */
async function entryIn(context: Context, repository: Repository, at: string | undefined, name: string): Promise<string | undefined> {
  const [mode, id] = at?.split(" ") ?? []
  if (mode !== "40000" || id === undefined) return undefined
  const found = (await readTree(context, repository, objectId(id, repository.format))).find((entry) => entry.name === name)
  return found && `${found.mode} ${found.id}`
}

/** A page that is known without those that have come since. */
function pageWith(
  context: Context,
  repository: Repository,
  { skip, limit }: LogOptions,
  { before, commits }: Added,
): readonly ObjectId[] | undefined {
  const newest = commits.slice(skip, skip + limit)
  if (newest.length === limit) return newest
  const older = context.cache.pages.get(pageKey(repository, { ...before, skip: Math.max(0, skip - commits.length), limit }))
  return older && [...newest, ...older].slice(0, limit)
}

/** The length of a whole history. With a bitmap git need not walk it. */
async function countWhole(context: Context, repository: Repository, options: LogOptions): Promise<number> {
  const command = { name: "rev-list", flags: ["--count", "--use-bitmap-index"], args: options.to } as const
  const total = Number((await context.processes.run(command, { repository })).stdout.toString("latin1"))
  if (repository.quarantine === undefined) context.cache.counts.set(keyOf(repository, options), total)
  return total
}

/**
 * The first commits of a whole history in git's order: always the newest of those that are waiting, and of several of one second the one that waits
 * longest. Starts no process but a reader. Throws `missing`.
 */
export async function walk(context: Context, repository: Repository, to: readonly ObjectId[], length: number): Promise<readonly Commit[]> {
  const seen = new Set<ObjectId>()
  const waiting: Commit[] = []
  const add = async (id: ObjectId) => {
    if (seen.has(id)) return
    seen.add(id)
    const commit = await readCommit(context, repository, id)
    const place = waiting.findIndex(({ committer }) => committer.when < commit.committer.when)
    waiting.splice(place === -1 ? waiting.length : place, 0, commit)
  }
  for (const id of to) await add(id)
  const walked: Commit[] = []
  while (walked.length < length) {
    const commit = waiting.shift()
    if (commit === undefined) break
    walked.push(commit)
    for (const parent of commit.parents) await add(parent)
  }
  return walked
}

/** A short range, without a process; undefined for others. */
async function rangeOf(context: Context, repository: Repository, to: readonly ObjectId[], not: readonly ObjectId[]) {
  const { shortRange } = await import("./short-range.ts")
  return shortRange((id) => readCommitHere(context, repository, id), to, not)
}

/** Lets git walk. Without a known length it walks to the end. */
async function list(
  context: Context,
  repository: Repository,
  options: LogOptions,
  known: number | undefined,
): Promise<{ readonly ids: readonly ObjectId[]; readonly total: number }> {
  const { to, not = [], path, since, until, skip, limit } = options
  const isRange = known === undefined && not.length > 0 && path === undefined && since === undefined && until === undefined
  const range = isRange ? await rangeOf(context, repository, to, not) : undefined
  if (range) {
    if (repository.quarantine === undefined) context.cache.counts.set(keyOf(repository, options), range.length)
    return { ids: range.slice(skip, skip + limit), total: range.length }
  }
  const flags = [
    ...(since === undefined ? [] : [`--max-age=${since}`]),
    ...(until === undefined ? [] : [`--min-age=${until}`]),
    ...(known === undefined ? [] : [`--skip=${skip}`, `--max-count=${limit}`]),
  ]
  const process = await context.processes.open(
    context.commands,
    { name: "rev-list", flags, args: [...to, ...not.map((id) => `^${id}`)], ...(path === undefined ? {} : { paths: [path] }) },
    { repository, timeoutMs: context.limits.commandMs },
  )
  process.stdin.end()
  // All lines are of one length: nothing but those of the page is looked at.
  const width = repository.format === "sha1" ? 41 : 65
  const first = (known === undefined ? skip : 0) * width
  const page: Buffer[] = []
  let bytes = 0
  process.stdout.on("data", (chunk: Buffer) => {
    const [start, end] = [Math.max(0, first - bytes), Math.min(chunk.length, first + limit * width - bytes)]
    if (start < end) page.push(chunk.subarray(start, end))
    bytes += chunk.length
  })
  const exit = await process.exit
  if (exit.code !== 0) throw new GitError("failed", "git rev-list failed", exit.stderr)
  const lines = Buffer.concat(page).toString("latin1").split("\n").slice(0, -1)
  const ids = lines.map((line) => objectId(line, repository.format))
  if (known !== undefined) return { ids, total: known }
  const seen = bytes / width
  if (repository.quarantine === undefined) context.cache.counts.set(keyOf(repository, options), seen)
  return { ids, total: seen }
}
