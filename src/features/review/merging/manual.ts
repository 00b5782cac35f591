import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Commit, isObjectId, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import { findRepositoriesByIds, usersById, withOwners } from "../../code/repositories/store.ts"
import { lockForIssues } from "../../planning/issues/lock.ts"
import type { Merging } from "./checks.ts"
import { recordMerge } from "./merged.ts"
import { findOpenInto } from "./store.ts"

/** Merges that were done outside and pushed. */

/**
 * Marks a pull request as merged by hand, with a commit of the base branch, at that commit's author time. Refuses `methodNotAllowed` where the
 * repository doesn't allow it, and `conflict` an id that is not the full id of a commit on the base.
 */
export async function mergeByHand(services: Services, found: Merging, commitId: string): Promise<void> {
  const { git, database, now } = services
  const { repository: row, owner, pull, me } = found
  if (row.allow_manual_merge === 0)
    throw refuse.methodNotAllowed("manually-merged is not allowed an allowed merge style for this repository")
  const repository = git.at(row.storage, row.object_format)
  const commit = isObjectId(commitId, row.object_format) ? await commitOnBase(services, repository, pull.base_branch, commitId) : undefined
  if (!commit) throw refuse.conflict("Wrong commit ID")
  await database.write(async (tx) => {
    const locked = await lockForIssues(tx, row.id)
    const merge = { repository: locked, owner, pullId: pull.id, commitId: commit.id, merger: me, how: "manual" } as const
    await recordMerge(tx, services, { ...merge, mergedAt: commit.author.when, now: now() })
  })
}

async function commitOnBase({ git }: Services, repository: Repository, branch: string, id: ObjectId): Promise<Commit | undefined> {
  const tip = await git.references.resolve(repository, branchRef(branch))
  if (tip === undefined || (await git.objects.info(repository, id))?.type !== "commit") return undefined
  return (await git.history.isAncestor(repository, id, tip)) ? git.objects.readCommit(repository, id) : undefined
}

export interface Detection {
  readonly repositoryId: number
  /** Branches that have moved. */
  readonly branches: readonly string[]
  readonly pusherId: number
}

/**
 * Marks open pull requests as merged by hand if their base contains their head now and the repository has this detection switched on. The merger is
 * the pusher of the base, or else the owner.
 */
export async function findManualMerges(services: Services, { repositoryId, branches, pusherId }: Detection): Promise<void> {
  const { database, git, now } = services
  const [home] = await withOwners(database.read, await findRepositoriesByIds(database.read, { ids: [repositoryId] }))
  if (!home || home.repository.autodetect_manual_merge === 0 || home.repository.allow_manual_merge === 0) return
  const repository = git.at(home.repository.storage, home.repository.object_format)
  const merger = (await usersById(database.read, [pusherId])).get(pusherId) ?? home.owner
  for (const pull of await findOpenInto(database.read, { repositoryId, branches })) {
    const tip = await git.references.resolve(repository, branchRef(pull.base_branch))
    const headId = objectId(pull.head_id)
    if (tip === undefined || (await git.objects.info(repository, headId)) === undefined) continue
    if (!(await git.history.isAncestor(repository, headId, tip))) continue
    const commit = await git.objects.readCommit(repository, await git.merging.mergedBy(repository, headId, tip))
    await database.write(async (tx) => {
      const locked = await lockForIssues(tx, repositoryId)
      const merge = { repository: locked, owner: home.owner, pullId: pull.id, commitId: commit.id, merger, how: "manual" } as const
      await recordMerge(tx, services, { ...merge, mergedAt: commit.author.when, now: now() })
    })
  }
}
