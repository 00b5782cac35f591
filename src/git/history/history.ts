import { GitError } from "../model/errors.ts"
import type { Commit, Repository } from "../model/model.ts"
import { branchRef, type ObjectId, objectId } from "../model/names.ts"
import { readCommit, readCommitHere, readCommits } from "../objects/objects.ts"
import { byteSource } from "../process/bytes.ts"
import type { Context } from "../process/context.ts"
import { resolveReference } from "../refs/ref-files.ts"
import { walk } from "./log.ts"

/** Which commits to list. */
export interface RangeOptions {
  /** The newest commit. */
  readonly to: ObjectId
  /** Excludes these commits and their ancestors. */
  readonly from?: ObjectId | undefined
  /** The most commits to return. */
  readonly limit: number
  /** The most commits to count; without it all are counted. */
  readonly countAtMost?: number
}

/** Commits, newest first, and how many there are in all. */
export interface CommitRange {
  readonly commits: readonly Commit[]
  readonly total: number
}

/** The most commits of a linear history that are followed here before git is run. */
const lineLimit = 64

/**
 * Follows single parents from `to` until `from` (or the root, without one). Returns undefined when a commit on the way has several parents or
 * is not to be read without a process, or the history is long: then git is needed. Most pushes are such a short linear history, and need no process.
 */
async function linearRange(
  context: Context,
  repository: Repository,
  to: ObjectId,
  from: ObjectId | undefined,
): Promise<readonly Commit[] | undefined> {
  const line: Commit[] = []
  let next: ObjectId | undefined = to
  while (next !== from) {
    if (next === undefined || line.length === lineLimit) return undefined
    const commit: Commit | undefined = await readCommitHere(context, repository, next)
    if (commit === undefined || commit.parents.length > 1) return undefined
    line.push(commit)
    next = commit.parents[0]
  }
  return line
}

/** The most commits of a whole history that are walked here, which is faster than starting git. */
const WALKED = 64

/** The commits that `to` has and `from` doesn't, newest first, up to a limit, with their number. Throws `failed` or `missing` when one is missing. */
export async function commitsBetween(context: Context, repository: Repository, range: RangeOptions): Promise<CommitRange> {
  const { to, from, limit, countAtMost } = range
  if (from === undefined && countAtMost !== undefined && countAtMost <= WALKED) {
    const newest = await walk(context, repository, [to], countAtMost)
    return { commits: newest.slice(0, limit), total: newest.length }
  }
  const line = await linearRange(context, repository, to, from)
  if (line !== undefined) {
    const total = Math.min(line.length, countAtMost ?? line.length)
    return { commits: line.slice(0, Math.min(limit, total)), total }
  }
  const most = countAtMost === undefined ? [] : [`--max-count=${countAtMost}`]
  const args = from === undefined ? [to] : [to, `^${from}`]
  const { commands, limits } = context
  const process = await context.processes.open(
    commands,
    { name: "rev-list", flags: most, args },
    { repository, timeoutMs: limits.commandMs },
  )
  process.stdin.end()
  const source = byteSource(process.stdout)
  const ids: ObjectId[] = []
  let total = 0
  for (let text = await source.line(128); text !== null; text = await source.line(128)) {
    total += 1
    if (ids.length < limit) ids.push(objectId(text.toString("latin1"), repository.format))
  }
  const exit = await process.exit
  if (exit.code !== 0) throw new GitError("failed", "git rev-list failed", exit.stderr)
  return { commits: await readCommits(context, repository, ids), total }
}

/** Whether `descendant` has `ancestor` in its history; a commit is its own ancestor. Throws `failed` when one of them is no commit or missing. */
export async function isAncestor(context: Context, repository: Repository, ancestor: ObjectId, descendant: ObjectId): Promise<boolean> {
  // A merge commit has both sides as parents.
  if ((await readCommitHere(context, repository, descendant))?.parents.includes(ancestor)) return true
  const line = await linearRange(context, repository, descendant, ancestor)
  if (line !== undefined) return true
  const result = await context.processes.run(
    { name: "merge-base", flags: ["--is-ancestor"], args: [ancestor, descendant] },
    { repository, accept: [0, 1] },
  )
  return result.code === 0
}

/**
 * The best commit that `a` and at least one of the others have in their history, or undefined where there is none; of several equally good ones the
 * first that git names. Throws `failed` when one of them is no commit or missing.
 */
export async function mergeBase(
  context: Context,
  repository: Repository,
  a: ObjectId,
  b: ObjectId,
  ...others: readonly ObjectId[]
): Promise<ObjectId | undefined> {
  if (a === b || others.includes(a) || (await linearRange(context, repository, b, a)) !== undefined) return a
  const result = await context.processes.run({ name: "merge-base", args: [a, b, ...others] }, { repository, accept: [0, 1] })
  return result.code === 0 ? objectId(result.stdout.toString("latin1").trim(), repository.format) : undefined
}

/** The number of commits reachable from `id`. Throws `failed` when it is missing. */
export async function countCommits(context: Context, repository: Repository, id: ObjectId): Promise<number> {
  const result = await context.processes.run({ name: "rev-list", flags: ["--count"], args: [id] }, { repository })
  return Number(result.stdout.toString("latin1"))
}

/** The commit that a branch names, or undefined when there is no such branch. Throws `invalid` for a bad name. */
export async function lastCommit(context: Context, repository: Repository, branch: string): Promise<Commit | undefined> {
  const id = await resolveReference(repository, branchRef(branch))
  return id === undefined ? undefined : readCommit(context, repository, id)
}

/** The ids of the newest commits of these histories, by date; no commit comes before one that has it as a parent. Throws `failed` when one is missing. */
export async function newestCommits(
  context: Context,
  repository: Repository,
  tips: readonly ObjectId[],
  limit: number,
): Promise<readonly ObjectId[]> {
  if (tips.length === 0) return []
  const flags = ["--date-order", `--max-count=${limit}`]
  const { stdout } = await context.processes.run({ name: "rev-list", flags, args: tips }, { repository })
  return stdout
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => objectId(line, repository.format))
}
