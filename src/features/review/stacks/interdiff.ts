import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type ObjectId, objectId, type RangePair, type Repository } from "../../../git/index.ts"
import { identityOf } from "../../code/commits/identity.ts"
import { countVersions, findVersion, type Version } from "./store.ts"

/** Two versions of a pull request, compared. */

export interface Versions {
  readonly before: Version
  readonly after: Version
}

/** The versions of these numbers: by default the last one, and the one before. Refuses `notFound`. */
export async function versionsOf(db: Handle, pullId: number, asked: { readonly from?: number; readonly to?: number }): Promise<Versions> {
  const number = asked.to ?? (await countVersions.first(db, { pullId }))?.total ?? 0
  const after = await findVersion.first(db, { pullId, number })
  const before = await findVersion.first(db, { pullId, number: asked.from ?? number - 1 })
  if (!before || !after) throw refuse.notFound()
  return { before, after }
}

export interface Interdiff {
  /** What is compared with the later head: the earlier one as it would be on the later base, or as it was. A tree or a commit. */
  readonly from: ObjectId
  readonly to: ObjectId
  /** False where it could not be put onto the later base. */
  readonly isClean: boolean
}

/** What an author changed between two versions, without what came from the base. A few git processes, none where the base is the same. Refuses `tooLarge`, and `notFound` where one of them is not kept any more. */
export async function interdiff(services: Services, repository: Repository, versions: Versions): Promise<Interdiff> {
  try {
    return await compareTrees(services, repository, versions)
  } catch (error) {
    if (isGitError(error, "missing")) throw refuse.notFound("the commits of this version are not kept any more")
    throw error
  }
}

async function compareTrees({ git }: Services, repository: Repository, { before, after }: Versions): Promise<Interdiff> {
  for (const { head_id, base_id } of [before, after])
    for (const id of [head_id, base_id]) if (id !== "") await git.objects.readCommit(repository, objectId(id))
  const [from, to] = [objectId(before.head_id), objectId(after.head_id)]
  if (before.base_id === after.base_id) return { from, to, isClean: true }
  const treeOf = async (id: string) => (id === "" ? null : (await git.objects.readCommit(repository, objectId(id))).tree)
  const onto = await treeOf(after.base_id)
  if (onto === null) return { from, to, isClean: false }
  const change = { from: await treeOf(before.base_id), to: await treeOf(before.head_id), onto }
  const merged = await bounded(git.merging.applyChange(repository, change))
  return merged.kind === "clean" ? { from: merged.tree, to, isClean: true } : { from, to, isClean: false }
}

/** The most commits of a version that are compared one by one. */
const MOST_COMMITS = 100

export interface ComparedCommits {
  readonly pairs: readonly RangePair[]
  readonly text: string
}

/** Which commit took the place of which. Those of the same identity belong together, however much has changed. Refuses `tooLarge`. */
export async function compareCommits({ git }: Services, repository: Repository, { before, after }: Versions): Promise<ComparedCommits> {
  const series = [before, after].map(({ base_id, head_id }) => ({
    from: objectId(base_id === "" ? head_id : base_id),
    to: objectId(head_id),
  }))
  for (const { from, to } of series) {
    const { total } = await git.history.between(repository, { to, from, limit: 0, countAtMost: MOST_COMMITS + 1 })
    if (total > MOST_COMMITS) throw refuse.tooLarge("these versions have too many commits to be compared one by one")
  }
  const [one, other] = series
  if (!one || !other) return { pairs: [], text: "" }
  const { pairs, text } = await bounded(git.diffs.ranges(repository, one, other))
  return { pairs: await joined(git, repository, pairs), text }
}

/** Joins what was removed with what was added under the same identity. */
async function joined(git: Services["git"], repository: Repository, pairs: readonly RangePair[]): Promise<readonly RangePair[]> {
  const identityAt = async (id: ObjectId | undefined) => {
    const identity = id && identityOf(await git.objects.readCommit(repository, id))
    return identity?.kind === "one" ? identity.id : undefined
  }
  const removed = new Map<string, RangePair>()
  for (const pair of pairs) {
    const identity = pair.kind === "removed" ? await identityAt(pair.before) : undefined
    if (identity !== undefined) removed.set(identity, pair)
  }
  const made: RangePair[] = []
  const taken = new Set<RangePair>()
  for (const pair of pairs) {
    const identity = pair.kind === "added" ? await identityAt(pair.after) : undefined
    const earlier = identity === undefined ? undefined : removed.get(identity)
    if (earlier) taken.add(earlier)
    made.push(earlier ? { ...pair, kind: "changed", before: earlier.before } : pair)
  }
  return made.filter((pair) => !taken.has(pair))
}

async function bounded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isGitError(error, "tooLarge") || isGitError(error, "timeout"))
      throw refuse.tooLarge("these versions differ too much to be compared")
    throw error
  }
}
