import { GitError } from "../model/errors.ts"
import type { Commit, Repository } from "../model/model.ts"
import { type ObjectId, objectId } from "../model/names.ts"
import { readCommit, readCommitHere, readCommits } from "../objects/objects.ts"
import { byteSource } from "../process/bytes.ts"
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
  const total = await knownTotal(context, repository, options)
  if (total !== undefined && (skip >= total || limit === 0)) return { commits: [], total }
  if (total !== undefined && isWhole(options) && skip + limit <= WALKED) {
    return { commits: (await walk(context, repository, options.to, skip + limit)).slice(skip), total }
  }
  const key = `${keyOf(repository, options)}\0${skip}\0${limit}`
  const page = total === undefined ? undefined : context.cache.pages.get(key)
  if (total !== undefined && page !== undefined) return { commits: await readCommits(context, repository, page), total }
  const listed = await list(context, repository, options, total)
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
  const key = `${keyOf(repository, options)}\0${skip}\0${limit}`
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

/** How many commits of a linear history are checked to find one whose history was counted. */
const LINE = 64

/** The cached length of a history, or of one with a few commits added to it. */
async function knownTotal(context: Context, repository: Repository, options: LogOptions): Promise<number | undefined> {
  const { counts } = context.cache
  const key = keyOf(repository, options)
  const known = counts.get(key)
  if (known !== undefined || !isWhole(options) || options.to.length !== 1) return known
  let next = options.to[0]
  for (let added = 1; next !== undefined && added <= LINE; added++) {
    const commit: Commit = await readCommit(context, repository, next)
    if (commit.parents.length > 1) return undefined
    next = commit.parents[0]
    const before: number | undefined = next === undefined ? 0 : counts.get(keyOf(repository, { ...options, to: [next] }))
    if (before === undefined) continue
    counts.set(key, before + added)
    return before + added
  }
  return undefined
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
  const source = byteSource(process.stdout)
  const first = known === undefined ? skip : 0
  const ids: ObjectId[] = []
  let seen = 0
  for (let line = await source.line(128); line !== null; line = await source.line(128)) {
    if (seen >= first && ids.length < limit) ids.push(objectId(line.toString("latin1"), repository.format))
    seen += 1
  }
  const exit = await process.exit
  if (exit.code !== 0) throw new GitError("failed", "git rev-list failed", exit.stderr)
  if (known !== undefined) return { ids, total: known }
  if (repository.quarantine === undefined) context.cache.counts.set(keyOf(repository, options), seen)
  return { ids, total: seen }
}
