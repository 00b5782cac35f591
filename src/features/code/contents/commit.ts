import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { requireMovable } from "../../../core/task-token.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { branchRef, type Commit, isGitError, type ObjectId, type Person, type Repository } from "../../../git/index.ts"
import { requireNoConflict } from "../branches/rules.ts"
import { pushFromServer } from "../pushes/server-push.ts"
import { requireBranchName } from "../repositories/names.ts"
import { signed } from "../signatures/signing.ts"
import { authorshipOf } from "./authorship.ts"
import { applyChange, type Change, defaultMessage } from "./changes.ts"
import type { CommitFields } from "./records.ts"
import { openWorkingTree, type WorkingTree } from "./working-tree.ts"

/** A commit that was made, and the branch that points to it. */
export interface Made {
  readonly commit: Commit
  readonly branch: string
}

/**
 * How often a commit is retried because the branch has moved meanwhile. No change is lost: a caller who names the blob to replace is
 * refused if it is no longer there.
 */
const TRIES = 8

/** An edit of the files of a branch. */
export interface Edit {
  readonly apply: (tree: WorkingTree) => Promise<void>
  /** The tree that it begins with; that of the branch's last commit unless said otherwise. */
  readonly begin?: (repository: Repository, last: Commit) => Promise<ObjectId>
  /** Who wrote the change, where that is known from elsewhere. */
  readonly author?: Person
  /** The default commit message. */
  readonly defaultMessage: string
}

/** An edit that applies changes of single files in order. */
export const editOf = (changes: readonly Change[]): Edit => ({
  apply: async (tree) => {
    for (const change of changes) await applyChange(tree, change)
  },
  defaultMessage: defaultMessage(changes),
})

/**
 * Commits changes of files to a branch, or from it to a new one. Nothing is checked out: trees are rewritten in memory and stored as objects.
 * Refuses like the edit and `authorshipOf`, `invalid` for invalid branch names, a new branch that exists already, and files that would be refused in a push,
 * `notFound` for a missing branch, like `pushFromServer`, and `tooLarge` for trees that are too large to be rewritten.
 */
export async function commitEdit(
  services: Services,
  { actor, on }: { readonly actor: SignedIn; readonly on: OnRepository },
  fields: CommitFields,
  edit: Edit,
): Promise<Made> {
  const { git, config } = services
  const start = fields.branch || on.repository.default_branch || config.repository.defaultBranch
  const branch = fields.new_branch || start
  requireBranchName(start, "branch")
  requireBranchName(branch, "new_branch")
  await requireMovable(actor, branchRef(branch))
  const repository = git.at(on.repository.storage, on.repository.object_format)
  // A name conflict with another branch is the one conflict that retrying can't resolve.
  if (branch !== start && (await git.references.resolve(repository, branchRef(branch))) === undefined)
    await requireNoConflict({ services, on }, branch)
  const commit = () => commitOnce(services, { actor, on, repository, start, branch }, fields, edit)
  return git.references.inTurn(repository, branchRef(branch), () => again(commit))
}

/** Retries while concurrent pushes conflict. */
export async function again<T>(commit: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await commit()
    } catch (error) {
      if (tries === TRIES || !(error instanceof Refusal) || error.kind !== "conflict") throw asRefusal(error)
    }
  }
}

/** What git says against the files of a commit, as a refusal. */
export function asRefusal(error: unknown): unknown {
  if (isGitError(error, "invalid")) return refuse.invalid("path", "the repository can't hold these files under these names")
  if (isGitError(error, "unfit")) return refuse.invalid("content", error.message)
  if (isGitError(error, "tooLarge")) return refuse.tooLarge("a directory of the repository is too large to be rewritten")
  return error
}

/** Where a commit is made: based on `start`, onto `branch`. */
interface Target {
  readonly actor: SignedIn
  readonly on: OnRepository
  readonly repository: Repository
  readonly start: string
  readonly branch: string
}

async function commitOnce(
  services: Services,
  { actor, on, repository, start, branch }: Target,
  fields: CommitFields,
  edit: Edit,
): Promise<Made> {
  const { git } = services
  const base = await git.references.resolve(repository, branchRef(start))
  if (base === undefined && !(await isUnborn(services, on))) throw refuse.notFound()
  const old = branch === start ? base : await git.references.resolve(repository, branchRef(branch))
  if (branch !== start && old !== undefined && !fields.force_push) throw refuse.invalid("new_branch", t`branch ${branch} exists already`)

  const authorship = { ...authorshipOf(services, actor.user, fields), ...(edit.author && { author: edit.author }) }
  const parent = base === undefined ? undefined : await git.objects.readCommit(repository, base)
  const tree = openWorkingTree(git, repository, parent && edit.begin ? await edit.begin(repository, parent) : parent?.tree)
  await edit.apply(tree)
  const batch = git.objects.batch(repository)
  const root = tree.write(batch)
  const message = messageOf(fields, edit, authorship.committer)
  const unsigned = { tree: root, parents: parent ? [parent.id] : [], ...authorship, message }
  const id = batch.commit(await signed(services, { purpose: "contents", user: actor.user, repository }, unsigned))
  const addedBytes = await batch.store()
  await pushFromServer(services, actor, on, [{ ref: branchRef(branch), oldId: old ?? null, newId: id }], { addedBytes })
  return { commit: await git.objects.readCommit(repository, id), branch }
}

/** Whether the repository has no commits yet, so that any branch may be the first. */
async function isUnborn({ git }: Services, { repository: { storage, object_format } }: OnRepository): Promise<boolean> {
  return (await git.references.list(git.at(storage, object_format), "refs/heads/")).length === 0
}

/** The trimmed commit message. Existing clients expect a signed-off message to have no trailing newline. */
function messageOf(
  { message = "", signoff }: CommitFields,
  edit: Edit,
  committer: { readonly name: string; readonly email: string },
): string {
  const text = unixLines(message).trim() || edit.defaultMessage
  return signoff ? `${text}\n\nSigned-off-by: ${committer.name} <${committer.email}>` : `${text}\n`
}
