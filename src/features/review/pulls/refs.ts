import type { Repository as Row } from "../../../access/permission.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import { findRepositoryById } from "../../../access/store.ts"
import { defineJob, jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { isGitError, type ObjectId, type Person, type RefName, type Repository, refName } from "../../../git/index.ts"
import { linkLargeFiles } from "../../code/lfs/link.ts"
import { pullRef } from "../../planning/issues/present.ts"

/** The references of a pull request in its base repository. They outlive its branch and its fork, and can't be pushed to. */

/** The reference that keeps the head of a pull request. */
export const headRef = (number: number): RefName => refName(pullRef(number))

/** The reference to the commit that merging would make, while there is no conflict. */
export const mergeRef = (number: number): RefName => refName(`refs/pull/${number}/merge`)

/** The author of the commits of refs/pull/N/merge. Their times are those of the merged commits: the same two commits always give the same merge. */
const merger = (when: number): Person => ({ name: "Hearth", email: "noreply@hearth.invalid", when, offset: 0 })

/** The result of merging a head into a base. */
export interface MergedTree {
  readonly baseId: ObjectId
  readonly headId: ObjectId
  /** Undefined where they can't be merged. */
  readonly tree: ObjectId | undefined
}

export interface PullRefs {
  readonly number: number
  readonly headId: ObjectId
  /** The merge; without it only the head is written. */
  readonly assessment?: MergedTree
}

/** Writes the references of a pull request. The head's commit must be in the repository already. */
export async function writePullRefs({ git }: Pick<Services, "git">, repository: Repository, refs: PullRefs): Promise<void> {
  const { number, headId, assessment } = refs
  const wanted: { name: RefName; to: ObjectId | undefined }[] = [{ name: headRef(number), to: headId }]
  if (assessment) wanted.push({ name: mergeRef(number), to: await writeMerge({ git }, repository, assessment) })
  // One after the other: writing a single reference takes no process.
  for (const { name, to } of wanted)
    if ((await git.references.resolve(repository, name)) !== to) await git.references.update(repository, [{ name, to: to ?? null }])
}

/** Makes a pull request's row, references and mergeability agree with its branches. */
export const alignPull = jobKind({ kind: "pulls.align", payload: Type.Object({ pullId: int64() }) })

/** Like `writePullRefs`; where another process is writing them at the same moment, a job checks them afterwards. */
export async function ensurePullRefs(
  services: Pick<Services, "git" | "database" | "jobs">,
  repository: Repository,
  refs: PullRefs & { readonly pullId: number },
): Promise<void> {
  try {
    await writePullRefs(services, repository, refs)
  } catch (error) {
    if (!isGitError(error, "conflict")) throw error
    await services.database.write((tx) => services.jobs.enqueue(tx, alignPull, { pullId: refs.pullId }))
  }
}

/** Writes the merge commit, where the merge is possible. */
async function writeMerge({ git }: Pick<Services, "git">, repository: Repository, found: MergedTree): Promise<ObjectId | undefined> {
  const { tree, baseId, headId } = found
  if (tree === undefined) return undefined
  const [base, head] = [await git.objects.readCommit(repository, baseId), await git.objects.readCommit(repository, headId)]
  const person = merger(Math.max(base.committer.when, head.committer.when))
  const message = `Merge ${headId} into ${baseId}\n`
  return git.objects.writeCommit(repository, { tree, parents: [baseId, headId], author: person, committer: person, message })
}

/** The repository of a head, and its commit. */
export interface Head {
  readonly repository: Repository
  readonly id: ObjectId
}

/**
 * Copies a commit with all that it reaches into the base repository, large files included. Only what is missing there is copied; within one
 * repository nothing is. Throws as `git.repositories.copyObjects`.
 */
export async function bringCommit(services: Services, head: Head, base: Repository): Promise<void> {
  const { git } = services
  if (head.repository.key === base.key || (await git.objects.info(base, head.id)) !== undefined) return
  const known = await knownTo(git, head.repository, base)
  await linkLargeFiles(services, { from: head.repository, to: base, id: head.id, known })
  await git.repositories.copyObjects(head.repository, [head.id], base, known)
}

/** Commits that both have: the branches of the base whose commits the head's repository has. */
async function knownTo(git: Services["git"], from: Repository, base: Repository): Promise<readonly ObjectId[]> {
  const tips = new Set((await git.references.list(base, "refs/heads/")).map(({ id }) => id))
  const known: ObjectId[] = []
  for (const id of [...tips].slice(0, NAMED_TIPS)) if ((await git.objects.info(from, id)) !== undefined) known.push(id)
  return known
}

/** The most branch tips that are used to find out what need not be copied. */
const NAMED_TIPS = 64

/** A pull request's two repositories in git; without the head's where that is gone. */
export interface PullRepositories {
  readonly base: Repository
  readonly head: Repository | undefined
}

/** Finds both repositories of a pull request; undefined where its base repository is gone. */
export async function pullRepositoriesOf({ database, git }: Services, pull: Pull): Promise<PullRepositories | undefined> {
  const at = (row: Row) => git.at(row.storage, row.object_format)
  const base = await findRepositoryById.first(database.read, { id: pull.repository_id })
  if (!base) return undefined
  if (pull.head_repository_id === null) return { base: at(base), head: undefined }
  if (pull.head_repository_id === base.id) return { base: at(base), head: at(base) }
  const head = await findRepositoryById.first(database.read, { id: pull.head_repository_id })
  return { base: at(base), head: head && at(head) }
}

/** Removes the references of a pull request; missing ones are no error. */
async function removePullReferences({ git }: Pick<Services, "git">, repository: Repository, number: number): Promise<void> {
  const there: RefName[] = []
  for (const name of [headRef(number), mergeRef(number)])
    if ((await git.references.resolve(repository, name)) !== undefined) there.push(name)
  await git.references.update(
    repository,
    there.map((name) => ({ name, to: null })),
  )
}

/** Removes the references of a pull request that was deleted. */
export const removePullRefs = defineJob({
  kind: "pulls.removeRefs",
  payload: Type.Object({ repositoryId: int64(), number: int64() }),
  run: async ({ repositoryId, number }, { context }) => {
    const row = await findRepositoryById.first(context.database.read, { id: repositoryId })
    if (row) await removePullReferences(context, context.git.at(row.storage, row.object_format), number)
  },
})
