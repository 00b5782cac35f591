import type { OnRepository } from "../../access/policies.ts"
import type { SignedIn } from "../../core/actor.ts"
import { Refusal, refuse } from "../../core/errors.ts"
import type { Services } from "../../core/services.ts"
import { branchRef, type Commit, isBranchName, isGitError } from "../../git/index.ts"
import { pushFromServer } from "../transport/server-push.ts"
import { authorshipOf } from "./authorship.ts"
import { applyChange, type Change, defaultMessage } from "./changes.ts"
import type { CommitFields } from "./records.ts"
import { openWorkingTree } from "./working-tree.ts"

/** A commit that was made, and the branch that names it. */
export interface Made {
  readonly commit: Commit
  readonly branch: string
}

/**
 * Times that a commit is made anew because the branch has moved on meanwhile. Nothing is lost that way: whoever says which content he changes is
 * refused when it is no longer there.
 */
const TRIES = 8

/**
 * Commits changes of files to a branch, or from it to a new one. Nothing is ever checked out: trees are rewritten in memory and stored by id.
 * Refuses what `applyChange` and `authorshipOf` refuse, `invalid` names that no branch can have and a new branch that exists already,
 * `notFound` a branch that doesn't exist, what `pushFromServer` refuses, and `tooLarge` trees that are too large to be rewritten.
 */
export async function commitChanges(
  services: Services,
  { actor, on }: { readonly actor: SignedIn; readonly on: OnRepository },
  fields: CommitFields,
  changes: readonly Change[],
): Promise<Made> {
  for (let tries = 1; ; tries++) {
    try {
      return await commitOnce(services, { actor, on }, fields, changes)
    } catch (error) {
      if (isGitError(error, "invalid")) throw refuse.invalid("path", "the repository can't hold these files under these names")
      if (isGitError(error, "tooLarge")) throw refuse.tooLarge("a directory of the repository is too large to be rewritten")
      if (tries === TRIES || !(error instanceof Refusal) || error.kind !== "conflict") throw error
    }
  }
}

async function commitOnce(
  services: Services,
  { actor, on }: { readonly actor: SignedIn; readonly on: OnRepository },
  fields: CommitFields,
  changes: readonly Change[],
): Promise<Made> {
  const { git } = services
  const { repository: row } = on
  const repository = git.at(row.storage, row.object_format)
  const start = fields.branch || row.default_branch || services.config.repository.defaultBranch
  const branch = fields.new_branch || start
  requireBranchName("branch", start)
  requireBranchName("new_branch", branch)

  const base = await git.references.resolve(repository, branchRef(start))
  if (base === undefined && !(await isUnborn(services, on))) throw refuse.notFound()
  const old = branch === start ? base : await git.references.resolve(repository, branchRef(branch))
  if (branch !== start && old !== undefined && !fields.force_push) throw refuse.invalid("new_branch", `branch ${branch} exists already`)

  const authorship = authorshipOf(services, actor.user, fields)
  const parent = base === undefined ? undefined : await git.objects.readCommit(repository, base)
  const tree = openWorkingTree(git, repository, parent?.tree)
  for (const change of changes) await applyChange(tree, change)
  const { root, written } = await tree.write()
  const message = messageOf(fields, changes, authorship.committer)
  const id = await git.objects.writeCommit(repository, { tree: root, parents: parent ? [parent.id] : [], ...authorship, message })
  const addedBytes = await git.objects.written(repository, [...written, id])
  await pushFromServer(services, actor, on, [{ ref: branchRef(branch), oldId: old ?? null, newId: id }], { addedBytes })
  return { commit: await git.objects.readCommit(repository, id), branch }
}

/** Longest part of a branch's name in bytes: its file's name, with room for the ending of git's lock. */
const LONGEST_PART = 250

function requireBranchName(field: string, name: string): void {
  if (!isBranchName(name) || name.split("/").some((part) => Buffer.byteLength(part) > LONGEST_PART))
    throw refuse.invalid(field, "is not a name that a branch can have")
}

/** Whether nothing has been committed yet, so that any branch may be the first. */
async function isUnborn({ git }: Services, { repository: { storage, object_format } }: OnRepository): Promise<boolean> {
  return (await git.references.list(git.at(storage, object_format), "refs/heads/")).length === 0
}

/** What the commit says. Existing clients know a message that is signed off as one without a newline at its end. */
function messageOf(
  { message = "", signoff }: CommitFields,
  changes: readonly Change[],
  committer: { readonly name: string; readonly email: string },
): string {
  const text = message.trim() === "" ? defaultMessage(changes) : message.replaceAll("\r\n", "\n").trimEnd()
  return signoff ? `${text}\n\nSigned-off-by: ${committer.name} <${committer.email}>` : `${text}\n`
}
