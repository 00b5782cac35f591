import type { Pull } from "../../../access/policies/pulls.ts"
import { findRepositoryById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Git, isGitError, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import type { FoundPull } from "./present.ts"
import { ensurePullRefs, type MergedTree } from "./refs.ts"
import { type AssessedColumns, findNow, findPull, storeAssessment } from "./store.ts"

/** What is known about merging a commit of the head into a commit of the base. */
export interface Assessment extends MergedTree {
  /** Undefined where the two have no commit in common. */
  readonly mergeBase: ObjectId | undefined
  readonly mergeability: Exclude<Pull["mergeability"], "checking">
  readonly conflictedFiles: readonly string[]
  readonly additions: number
  readonly deletions: number
  readonly changedFiles: number
  readonly ahead: number
  readonly behind: number
}

/**
 * Finds out what a merge would give, and how much the head changes; what is too much for git stays unknown. Both commits must be in the repository.
 * Runs some git processes: not for inside of a transaction.
 */
export async function assess(git: Git, repository: Repository, baseId: ObjectId, headId: ObjectId): Promise<Assessment> {
  const mergeBase = await git.history.mergeBase(repository, baseId, headId)
  if (mergeBase === undefined) {
    const none = { additions: 0, deletions: 0, changedFiles: 0, ahead: 0, behind: 0 }
    return { baseId, headId, mergeBase, mergeability: "error", conflictedFiles: [], ...none, tree: undefined }
  }
  const [totals, ahead, behind, merged, base] = await Promise.all([
    withinLimits(git.diffs.totals(repository, mergeBase, headId), { files: 0, additions: 0, deletions: 0 }),
    withinLimits(countOf(git, repository, mergeBase, headId), 0),
    withinLimits(countOf(git, repository, mergeBase, baseId), 0),
    withinLimits(merge(git, repository, { baseId, headId, mergeBase }), UNKNOWN),
    git.objects.readCommit(repository, baseId),
  ])
  const found = {
    baseId,
    headId,
    mergeBase,
    additions: totals.additions,
    deletions: totals.deletions,
    changedFiles: totals.files,
    ahead,
    behind,
    conflictedFiles: [],
    tree: undefined,
  }
  if (merged.kind === "conflict") return { ...found, mergeability: "conflict", conflictedFiles: merged.files }
  if (merged.kind !== "clean") return { ...found, mergeability: "error" }
  if (mergeBase === headId) return { ...found, mergeability: "ancestor", tree: merged.tree }
  return { ...found, mergeability: merged.tree === base.tree ? "empty" : "mergeable", tree: merged.tree }
}

const UNKNOWN = { kind: "unknown" } as const

/** Git's answer, or a fallback where the work exceeds git's limits: a push must not fail because of the repository it targets. */
async function withinLimits<Found, Instead>(finding: Promise<Found>, instead: Instead): Promise<Found | Instead> {
  try {
    return await finding
  } catch (error) {
    if (isGitError(error, "tooLarge") || isGitError(error, "timeout")) return instead
    throw error
  }
}

/** The number of commits that `to` has and the merge base lacks, merge commits included. */
const countOf = async (git: Git, repository: Repository, from: ObjectId, to: ObjectId): Promise<number> =>
  from === to ? 0 : (await git.history.between(repository, { to, from, limit: 0 })).total

/** Where one side has only the other's commits, the result is known without git. */
async function merge(
  git: Git,
  repository: Repository,
  { baseId, headId, mergeBase }: { readonly baseId: ObjectId; readonly headId: ObjectId; readonly mergeBase: ObjectId },
): ReturnType<Git["merging"]["mergeTrees"]> {
  const ahead = mergeBase === baseId ? headId : mergeBase === headId ? baseId : undefined
  if (ahead === undefined) return git.merging.mergeTrees(repository, baseId, headId)
  return { kind: "clean", tree: (await git.objects.readCommit(repository, ahead)).tree }
}

/** An assessment as the columns of `pulls`. */
export const assessedColumns = (found: Assessment): AssessedColumns => ({
  head_id: found.headId,
  base_id: found.baseId,
  merge_base: found.mergeBase ?? "",
  mergeability: found.mergeability,
  conflicted_files: JSON.stringify(found.conflictedFiles),
  additions: found.additions,
  deletions: found.deletions,
  changed_files: found.changedFiles,
  commits_ahead: found.ahead,
  commits_behind: found.behind,
})

/** Stores an assessment, unless head or base branch have changed; then gives undefined. */
export const writeAssessment = (
  tx: Transaction,
  { id, base_branch: baseBranch, stands_on: standsOn }: Pick<Pull, "id" | "base_branch" | "stands_on">,
  found: Assessment,
): Promise<Pull | undefined> => storeAssessment.first(tx, { ...assessedColumns(found), id, baseBranch, standsOn })

/** The commit that a pull request is compared with: the one below it in its stack, else the tip of its base branch; undefined where that is gone. */
export const comparedWith = (
  git: Git,
  repository: Repository,
  { stands_on, base_branch }: Pick<Pull, "stands_on" | "base_branch">,
): Promise<ObjectId | undefined> =>
  stands_on === "" ? git.references.resolve(repository, branchRef(base_branch)) : Promise.resolve(objectId(stands_on))

/** How often a pull request is assessed again because it moved meanwhile. */
const TRIES = 5

/**
 * The pull request with its current mergeability. Where its base has moved since the assessment, or there was none, it is assessed and stored, and
 * refs/pull/N/merge moves. Merged and closed ones stay as they were. Where nothing has changed, it costs one query and no git process.
 */
export async function ensureMergeability(services: Services, seen: Pull): Promise<Pull> {
  for (let tries = 1; ; tries++) {
    const now = await findNow.first(services.database.read, { id: seen.id })
    if (!now) return seen
    const { number, is_closed, base_tip, ...pull } = now
    if (!isStale(pull, { is_closed, base_tip })) return pull
    const known = await assessOnce(services, pull, number)
    // Git may already have branches whose rows are not written yet.
    if (known === undefined || tries === TRIES || (known.base_id === pull.base_id && known.mergeability !== "checking"))
      return known ?? pull
  }
}

/** Assessments under way in this process: concurrent callers wait for the same one instead of starting git again. */
const underWay = new WeakMap<Git, Map<number, Promise<Pull | undefined>>>()

function assessOnce(services: Services, pull: Pull, number: number): Promise<Pull | undefined> {
  const under = underWay.get(services.git) ?? new Map<number, Promise<Pull | undefined>>()
  underWay.set(services.git, under)
  const begun = under.get(pull.id) ?? reassess(services, pull, number).finally(() => under.delete(pull.id))
  under.set(pull.id, begun)
  return begun
}

/** Assesses a pull request and stores the result. Gives its row as it is then; undefined where there is nothing to assess. */
async function reassess(services: Services, pull: Pull, number: number): Promise<Pull | undefined> {
  const { database, git } = services
  const row = await findRepositoryById.first(database.read, { id: pull.repository_id })
  const repository = row && git.at(row.storage, row.object_format)
  const baseId = repository && (await comparedWith(git, repository, pull))
  if (!repository || baseId === undefined || (await git.objects.info(repository, objectId(pull.head_id))) === undefined) return undefined
  const found = await assess(git, repository, baseId, objectId(pull.head_id))
  const written = await database.write((tx) => writeAssessment(tx, pull, found))
  if (!written) return findPull.first(database.read, { id: pull.id })
  await ensurePullRefs(services, repository, { pullId: pull.id, number, headId: found.headId, assessment: found })
  return written
}

/** The most pull requests that are assessed at the same time. */
const AT_ONCE = 4

/** Pull requests with their current mergeability, see `ensureMergeability`. Only those whose base has moved cost queries and git processes. */
export async function withMergeability(services: Services, pulls: readonly FoundPull[]): Promise<readonly FoundPull[]> {
  const known = [...pulls]
  const waiting = [...pulls.entries()].filter(([, { issue, pull, summary }]) => isStale(pull, { ...issue, ...summary }))
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, found] = next
      known[at] = { ...found, pull: await ensureMergeability(services, found.pull) }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return known
}

/** Whether the issue is closed, and the commit that the base branch names. */
export interface Base {
  readonly is_closed: 0 | 1
  readonly base_tip: string | null
}

/** Whether a pull request must be assessed again: it is open, and its base exists and has moved. */
export const isStale = (pull: Pick<Pull, "is_merged" | "mergeability" | "base_id">, { is_closed, base_tip }: Base): boolean =>
  pull.is_merged === 0 && base_tip !== null && (pull.mergeability === "checking" || (is_closed === 0 && pull.base_id !== base_tip))
