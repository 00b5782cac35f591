import type { Pull } from "../../../access/policies/pulls.ts"
import { findRepositoryById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { jobKind } from "../../../core/jobs/jobs.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { branchOf, branchRef, type ObjectId, objectId } from "../../../git/index.ts"
import type { MovedPush, PushStep } from "../../code/pushes/step.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { compareReviews } from "../reviews/stale.ts"
import { closeOrRetargetPulls, newBasesOf } from "./branches.ts"
import { assessHead, type NewHead, writeHead } from "./heads.ts"
import { type PushedCommits, pushedCommits } from "./pushed.ts"
import { alignPull } from "./refs.ts"
import type { NewBase } from "./retarget.ts"
import { findOpenFrom, findOpenInto } from "./store.ts"

/** Assesses all open pull requests into a branch that has moved. */
export const recheckBase = jobKind({ kind: "pulls.recheckBase", payload: Type.Object({ repositoryId: int64(), branch: Type.String() }) })

/** The effects of a push on pull requests. */

/** The most pull requests that move while the pusher waits. The others are left to jobs, which send no notifications about the commits. */
const MOVED_AT_ONCE = 20

/** A branch that a push moved to another commit. */
interface MovedBranch {
  readonly name: string
  readonly from: ObjectId | null
  readonly to: ObjectId
}

const movedBranches = ({ changes }: MovedPush): readonly MovedBranch[] =>
  changes.flatMap(({ ref, oldId, newId }) => {
    const name = branchOf(ref)
    return name === undefined || newId === null ? [] : [{ name, from: oldId, to: newId }]
  })

const deletedBranches = ({ changes }: MovedPush): readonly string[] =>
  changes.flatMap(({ ref, newId }) => (newId === null ? (branchOf(ref) ?? []) : []))

/**
 * Pull requests follow their branches: a push to a head moves them, a push to a base queues their assessment, and those whose branch is deleted are
 * closed or retargeted to the branch that it was merged into, or to the default branch.
 */
export const movePulls: PushStep = async (moved) => {
  const { services, row } = moved
  const branches = movedBranches(moved)
  const deleted = deletedBranches(moved)
  const open =
    branches.length === 0 ? [] : await findOpenFrom(services.database.read, { repositoryId: row.id, branches: branches.map(nameOf) })
  const heads: MovedHead[] = []
  const left = open.slice(MOVED_AT_ONCE)
  for (const pull of open.slice(0, MOVED_AT_ONCE)) {
    const branch = branches.find(({ name }) => name === pull.head_branch)
    try {
      const head = branch && (await followHead(moved, pull, branch))
      if (head) heads.push(head)
    } catch (error) {
      // A fault in the base repository is no reason for the push to the head to fail.
      services.log.error({ err: error, pull: pull.id }, "a pull request could not follow its branch and is left to the job")
      left.push(pull)
    }
  }
  const newBases = deleted.length === 0 ? new Map<string, string>() : await newBasesOf(services.database.read, row, deleted)
  const found = deleted.length === 0 ? new Map<number, NewBase>() : await assessNewBases(moved, newBases)
  return async (tx, { repository, pusher, now }) => {
    for (const { head, pushed } of heads) await writeHead(tx, services, head, { pusher, pushed, now })
    for (const { id } of left) await services.jobs.enqueue(tx, alignPull, { pullId: id })
    if (deleted.length > 0) await closeOrRetargetPulls(tx, services, { repository, branches: deleted, newBases, found, actor: pusher, now })
    for (const branch of await basesAmong(tx, row.id, branches))
      await enqueueOnce(tx, services.jobs, recheckBase, { repositoryId: row.id, branch })
  }
}

const nameOf = ({ name }: MovedBranch): string => name

/** Those of the branches that are the base of an open pull request. */
async function basesAmong(tx: Transaction, repositoryId: number, branches: readonly MovedBranch[]): Promise<ReadonlySet<string>> {
  if (branches.length === 0) return new Set()
  const into = await findOpenInto(tx, { repositoryId, branches: branches.map(nameOf) })
  return new Set(into.map((pull) => pull.base_branch))
}

/** The assessments against their new bases of the pull requests whose base was deleted, by id. */
async function assessNewBases(
  { services, row, repository }: MovedPush,
  newBases: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<number, NewBase>> {
  const { database, git, log } = services
  const into = await findOpenInto(database.read, { repositoryId: row.id, branches: [...newBases.keys()] })
  const found = new Map<number, NewBase>()
  for (const pull of into.slice(0, MOVED_AT_ONCE)) {
    const tip = await git.references.resolve(repository, branchRef(newBases.get(pull.base_branch) ?? row.default_branch))
    if (tip === undefined) continue
    const headId = objectId(pull.head_id)
    try {
      const mergeBase = await git.history.mergeBase(repository, tip, headId)
      found.set(pull.id, { headId, mergeBase, comparison: await compareReviews(services, { pull, repository, headId, mergeBase }) })
    } catch (error) {
      log.error({ err: error, pull: pull.id }, "a pull request could not be compared with its new base; its verdicts are taken for stale")
    }
  }
  return found
}

interface MovedHead {
  readonly head: NewHead
  readonly pushed: PushedCommits
}

async function followHead({ services, repository }: MovedPush, pull: Pull, branch: MovedBranch): Promise<MovedHead | undefined> {
  const { database, git } = services
  const home = await findRepositoryById.first(database.read, { id: pull.repository_id })
  const issue = await findIssueById.first(database.read, { id: pull.issue_id })
  if (!home || !issue) return undefined
  // A later push may have moved it on already; the current commit counts.
  const id = (await git.references.resolve(repository, branchRef(branch.name))) ?? branch.to
  const base = git.at(home.storage, home.object_format)
  return {
    head: await assessHead(services, { pull, number: issue.number, base, head: { repository, id } }),
    pushed: await pushedCommits(git, repository, branch),
  }
}
