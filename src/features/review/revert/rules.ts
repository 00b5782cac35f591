import { Mode } from "../../../access/modes.ts"
import { locateRepositoryById, type OnRepository } from "../../../access/policies/repositories.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Commit, type ObjectId, objectId, type Repository, type TreeChange } from "../../../git/index.ts"
import { requireNoConflict } from "../../code/branches/rules.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { asRefusal } from "../../code/contents/commit.ts"
import { changedTree } from "../../code/picks/rules.ts"
import { codeMode } from "../../code/pushes/admission.ts"
import { pushFromServer } from "../../code/pushes/server-push.ts"
import { findForkOf } from "../../code/repositories/store.ts"
import { signed } from "../../code/signatures/signing.ts"
import type { Merging } from "../merging/checks.ts"
import { rangeOf } from "../pulls/contents.ts"
import { bringCommit } from "../pulls/refs.ts"

/** What a merged pull request changed is taken back: one commit on a new branch, for a pull request of its own. */

export interface Reverted {
  /** Where the branch is: the repository itself, or a fork of the caller. */
  readonly on: OnRepository
  readonly branch: string
}

/**
 * Makes the branch with the commit. Refuses as invalid a pull request that isn't merged, and what `changedTree` refuses; `forbidden` callers who may neither write to
 * the repository nor have a fork of it; and as `pushFromServer` does.
 */
export async function revertPull(services: Services, found: Merging): Promise<Reverted> {
  const { git } = services
  const { repository: row, issue, pull, me, actor } = found
  if (pull.is_merged === 0) throw refuse.invalid("index", "only a merged pull request is reverted")
  const on = await placeFor(services, found)
  const base = git.at(row.storage, row.object_format)
  const tip = await git.references.resolve(base, branchRef(pull.base_branch))
  if (tip === undefined) throw refuse.invalid("index", "the base branch is gone")
  const merge = await git.objects.readCommit(base, objectId(pull.merge_commit_id))
  const change = await changeOf(services, found, base, merge)
  const onto = (await git.objects.readCommit(base, tip)).tree
  const repository = git.at(on.repository.storage, on.repository.object_format)
  try {
    for (const id of [tip, merge.id, objectId(pull.head_id)]) await bringCommit(services, { repository: base, id }, repository)
    const tree = await changedTree(services, repository, { from: change.to, to: change.from, onto }, onCommandLine(change, merge))
    const person = commitPerson(services, me)
    const unsigned = { tree, parents: [tip], author: person, committer: person, message: messageOf(issue, merge, change) }
    const id = await git.objects.writeCommit(repository, await signed(services, { purpose: "contents", user: me, repository }, unsigned))
    const branch = await freeName(services, repository, `revert-${issue.number}-${pull.head_branch}`)
    await requireNoConflict({ services, on }, branch)
    // In a fork it is not known what was brought there: that is measured.
    const addedBytes = on.repository.id === row.id ? await git.objects.written(repository, [id]) : undefined
    await pushFromServer(services, actor, on, [{ ref: branchRef(branch), oldId: null, newId: id }], { addedBytes })
    return { on, branch }
  } catch (error) {
    throw asRefusal(error)
  }
}

/** The repository that takes the branch. */
async function placeFor({ database }: Services, found: Merging): Promise<OnRepository> {
  const { repository, owner, permission, me, actor } = found
  if (codeMode(found) >= Mode.write) return { repository, owner, permission }
  const fork = await findForkOf.first(database.read, { ownerId: me.id, repositoryId: repository.id })
  try {
    if (fork) return await locateRepositoryById(database.read, actor, fork.id)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  throw refuse.forbidden("you may not write to the repository, and have no fork of it")
}

interface Change extends Pick<TreeChange, "from" | "to"> {
  /** The commits of the change, as git names them; undefined where they are not a range of the base. */
  readonly range: readonly [from: ObjectId, to: ObjectId] | undefined
}

/** How many commits of the base are searched for the one that a rebase began with. */
const MOST_STEPS = 1_000

/**
 * What the merge changed. A commit that merges says so itself. Otherwise the base got one commit, or several: those since the commit that the base had when the pull request was last
 * assessed, or the last one alone, whichever is what merging makes of the head. Where neither is, because the base moved meanwhile, it is what the head changed.
 */
async function changeOf(services: Services, { repository: row, pull }: Merging, base: Repository, merge: Commit): Promise<Change> {
  const { objects, merging } = services.git
  const treeOf = async (id: ObjectId): Promise<ObjectId> => (await objects.readCommit(base, id)).tree
  const { from, to } = rangeOf(services, { repository: row }, pull)
  const head: Change = { from: await treeOf(from), to: await treeOf(to), range: merge.id === to ? [from, to] : undefined }
  if (merge.id === to) return head
  const [first] = merge.parents
  if (merge.parents.length > 1 && first !== undefined) return { from: await treeOf(first), to: merge.tree, range: undefined }
  const before: ObjectId[] = []
  let at: Commit | undefined = merge
  for (let step = 0; step < MOST_STEPS && at; step++) {
    const [parent]: readonly ObjectId[] = at.parents
    if (parent === pull.base_id) before.push(parent)
    if (parent === undefined || parent === pull.base_id) break
    at = await objects.readCommit(base, parent)
  }
  for (const start of new Set([...before, ...(first === undefined ? [] : [first])])) {
    const tree = await treeOf(start)
    const merged = await merging.applyChange(base, { from: head.from, to: head.to, onto: tree })
    if (merged.kind === "clean" && merged.tree === merge.tree) return { from: tree, to: merge.tree, range: [start, merge.id] }
  }
  return head
}

const onCommandLine = ({ range }: Change, { id, parents }: Commit): string =>
  range ? `git revert --no-commit ${range[0]}..${range[1]}` : `git revert ${parents.length > 1 ? "-m 1 " : ""}${id}`

function messageOf({ title, number }: Merging["issue"], { id, parents }: Commit, { range }: Change): string {
  const [first] = parents
  const isOne = range === undefined || range[0] === first
  const what = range === undefined && parents.length > 1 ? `commit ${id}, reversing\nchanges made to ${first}` : `commit ${id}`
  return `Revert "${title}" (#${number})\n\nThis reverts ${isOne ? what : `the commits ${range[0]}..${range[1]}`}.\n`
}

async function freeName({ git }: Services, repository: Repository, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`
    if ((await git.references.resolve(repository, branchRef(name))) === undefined) return name
  }
}
