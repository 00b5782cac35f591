import type { Repository } from "../../../access/permission.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { isBlocked } from "../../planning/dependencies/rules.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { setState } from "../../planning/issues/state.ts"
import { type NewBase, retargetPull, whyNotRetargeted } from "./retarget.ts"
import { findLastFrom, findOpenElsewhere, findOpenFrom, findOpenInto, renameBases, renameHeads } from "./store.ts"

/** What happens to pull requests when their branches are deleted or renamed, alone or with their repository. */

export interface DeletedBranches {
  readonly repository: Repository
  readonly branches: readonly string[]
  /** The branch that takes the place of a deleted one as a base: see `newBasesOf`. */
  readonly newBases: ReadonlyMap<string, string>
  /** The assessment against it for pull requests whose base was deleted, by id, as far as it was made. */
  readonly found: ReadonlyMap<number, NewBase>
  readonly actor: User
  readonly now: Seconds
}

/**
 * Which branch takes the place of each of these, which are deleted, as a base: that into which it was merged last, so that what stood on it in a stack goes where it
 * went; where it was not, or that is deleted too, the default branch.
 */
export async function newBasesOf(
  db: Handle,
  { id: repositoryId, default_branch }: Pick<Repository, "id" | "default_branch">,
  branches: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const last = new Map((await findLastFrom(db, { repositoryId, branches })).map((row) => [row.head_branch, row]))
  return new Map(
    branches.map((name) => {
      const into = last.get(name)
      return [name, into?.is_merged === 1 && !branches.includes(into.base_branch) ? into.base_branch : default_branch]
    }),
  )
}

/**
 * Closes the open pull requests whose head was deleted, and retargets those whose base was deleted to the branch that takes its place, or closes them where that
 * is impossible. Those of archived repositories, and those that depend on open issues, are left as they are.
 */
export async function closeOrRetargetPulls(tx: Transaction, services: Services, deleted: DeletedBranches): Promise<void> {
  const { repository, branches, actor, now } = deleted
  const names = { repositoryId: repository.id, branches }
  for (const pull of await findOpenFrom(tx, names)) {
    await changeLocked(tx, pull, async (locked) => {
      publish(tx, { kind: "pull.headBranchDeleted", issue: locked.issue, actor, branch: pull.head_branch, at: now })
      await close(tx, services, locked, deleted)
    })
  }
  for (const pull of await findOpenInto(tx, names)) {
    await changeLocked(tx, pull, async (locked) => {
      const base = deleted.newBases.get(locked.pull.base_branch) ?? locked.repository.default_branch
      const target = { ...locked, base, found: deleted.found.get(pull.id), actor, now }
      if (branches.includes(base) || (await whyNotRetargeted(tx, target))) await close(tx, services, locked, deleted)
      else await retargetPull(tx, target)
    })
  }
}

/**
 * Closes the open pull requests elsewhere that come from a repository which is about to be deleted. Those of archived repositories, and those that
 * depend on open issues, are left as they are: their commits are still available.
 */
export async function closePullsFrom(
  tx: Transaction,
  services: Services,
  from: Omit<DeletedBranches, "branches" | "newBases" | "found">,
): Promise<void> {
  for (const pull of await findOpenElsewhere(tx, { repositoryId: from.repository.id }))
    await changeLocked(tx, pull, (locked) => close(tx, services, locked, from))
}

interface Locked {
  readonly repository: Repository
  readonly owner: User
  readonly issue: Awaited<ReturnType<typeof lockIssue>>
  readonly pull: Pull
}

/** Locks the rows of a pull request, repository first, and changes it. One that is closed by now, or archived, is left alone. */
async function changeLocked(
  tx: Transaction,
  { id, repository_id, issue_id }: Pull,
  change: (locked: Locked) => Promise<void>,
): Promise<void> {
  const home = await findRepositoryById.first(tx, { id: repository_id })
  const owner = home && (await findUserById.first(tx, { id: home.owner_id }))
  if (!home || !owner || home.is_archived === 1) return
  const repository = await lockForIssues(tx, repository_id)
  const issue = await lockIssue(tx, { id: issue_id, repository_id })
  const pull = await lockRow(tx, "pulls", id)
  if (pull && issue.is_closed === 0) await change({ repository, owner, issue, pull })
}

async function close(
  tx: Transaction,
  services: Services,
  { repository, owner, issue }: Locked,
  { actor, now }: Pick<DeletedBranches, "actor" | "now">,
): Promise<void> {
  if (await isBlocked(tx, { issue, repository })) return
  await setState(tx, services, { issue, repository, owner, closed: true, actor, now })
}

/** Renames a branch in the pull requests that are not merged, whether it is their head or their base. */
export async function renameBranchInPulls(tx: Transaction, repositoryId: number, from: string, to: string): Promise<void> {
  await renameHeads(tx, { repositoryId, from, to })
  await renameBases(tx, { repositoryId, from, to })
}
