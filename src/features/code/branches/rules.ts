import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Commit, isBranchName, isTagName, type ObjectId, tagRef } from "../../../git/index.ts"
import { resolveRevision } from "../commits/revision.ts"
import { findProtection } from "../protections/rules.ts"
import { pushFromServer } from "../pushes/server-push.ts"
import { requireBranchName } from "../repositories/names.ts"
import type { CreateBranchRepoOption, UpdateBranchRepoOption } from "./records.ts"
import { findInTheWay } from "./store.ts"

/** A change of branches through the service: the caller and the repository. */
export interface Changing {
  readonly services: Services
  readonly actor: SignedIn
  readonly on: OnRepository
}

export const gitRepository = ({ services: { git }, on: { repository } }: Pick<Changing, "services" | "on">) =>
  git.at(repository.storage, repository.object_format)

/** The commit that a branch points to in git, which is authoritative. Undefined if there is no such branch. */
export const tipOf = async (changing: Pick<Changing, "services" | "on">, branch: string): Promise<ObjectId | undefined> =>
  isBranchName(branch) ? changing.services.git.references.resolve(gitRepository(changing), branchRef(branch)) : undefined

/**
 * Creates a branch and returns its commit. Refuses `notFound` for a missing start point, `invalid` for an invalid branch name,
 * `conflict` for a name that is taken or conflicts with another branch or tag, and like `pushFromServer`.
 */
export async function createBranch(changing: Changing, options: CreateBranchRepoOption): Promise<Commit> {
  const { services, actor, on } = changing
  const name = options.new_branch_name
  if (on.repository.is_empty === 1) throw refuse.notFound("Git Repository is empty.")
  if (on.repository.is_mirror === 1) throw refuse.forbidden("Git Repository is a mirror.")
  requireBranchName(name, "new_branch_name")
  const commit = await startOf(changing, options)
  if (!commit) throw refuse.notFound("there is no such branch, tag or commit to begin with")
  if (isTagName(name) && (await services.git.references.resolve(gitRepository(changing), tagRef(name))))
    throw refuse.conflict("The branch with the same tag already exists.")
  await requireNoConflict(changing, name)
  await pushFromServer(services, actor, on, [{ ref: branchRef(name), oldId: null, newId: commit.id }], { addedBytes: 0 })
  return commit
}

async function startOf(changing: Changing, { old_ref_name: ref, old_branch_name }: CreateBranchRepoOption): Promise<Commit | undefined> {
  const { git } = changing.services
  const { repository } = changing.on
  if (ref) return (await resolveRevision(git, repository, ref))?.commit
  const branch = old_branch_name || repository.default_branch
  return isBranchName(branch) ? git.history.lastCommit(gitRepository(changing), branch) : undefined
}

/** Refuses `conflict` if a branch of this name exists or conflicts with it: next to `a` there can't be `a/b`. */
export async function requireNoConflict(
  { services: { database }, on: { repository } }: Pick<Changing, "services" | "on">,
  name: string,
): Promise<void> {
  const parts = name.split("/")
  const names = parts.map((_, index) => parts.slice(0, index + 1).join("/"))
  // "0" is the character after the slash.
  const found = await findInTheWay.first(database.read, { repositoryId: repository.id, names, from: `${name}/`, before: `${name}0` })
  if (found)
    throw refuse.conflict(found.name === name ? "The branch already exists." : t`The branch ${found.name} stands in the way of ${name}.`)
}

/**
 * Points a branch to another commit. Refuses `notFound` for a missing branch or commit, `invalid` if it no longer points to `old_commit_id` or
 * would lose commits without `force`, and like `pushFromServer`.
 */
export async function updateBranch(changing: Changing, branch: string, options: UpdateBranchRepoOption): Promise<void> {
  const { services, actor, on } = changing
  const { git } = services
  const repository = gitRepository(changing)
  const { new_commit_id: wanted, old_commit_id: expected = "", force = false } = options
  const oldId = await tipOf(changing, branch)
  if (oldId === undefined) throw refuse.notFound()
  const newId = await git.objects.expand(repository, wanted.toLowerCase())
  if (newId === undefined || (await git.objects.info(repository, newId))?.type !== "commit")
    throw refuse.notFound("there is no such commit")
  if (expected !== "" && expected.toLowerCase() !== oldId) throw refuse.invalid("old_commit_id", t`the branch names ${oldId}`)
  if (newId === oldId) return
  if (!force && !(await git.history.isAncestor(repository, oldId, newId)))
    throw refuse.invalid("force", "is needed: the branch would lose commits")
  await pushFromServer(services, actor, on, [{ ref: branchRef(branch), oldId, newId }], { addedBytes: 0 })
}

/**
 * Deletes a branch. Refuses `notFound` if it doesn't exist, `forbidden` for the default branch and protected ones, and like
 * `pushFromServer`.
 */
export async function deleteBranch(changing: Changing, branch: string): Promise<void> {
  const { services, actor, on } = changing
  const oldId = await tipOf(changing, branch)
  if (oldId === undefined) throw refuse.notFound()
  if (on.repository.is_mirror === 1) throw refuse.forbidden("Git Repository is a mirror.")
  if (branch === on.repository.default_branch) throw refuse.forbidden("can not delete default or pull request target branch")
  if (await findProtection(services.database.read, on.repository.id, branch)) throw refuse.forbidden("branch protected")
  await pushFromServer(services, actor, on, [{ ref: branchRef(branch), oldId, newId: null }], { addedBytes: 0 })
}
