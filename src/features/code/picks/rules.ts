import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { type Commit, completePerson, type ObjectId, type Repository, type TreeChange } from "../../../git/index.ts"
import { commitEdit, type Made } from "../contents/commit.ts"

/** The change of one commit is made again on a branch, or taken back there. */

/** The most files in conflict that a refusal names. */
const MOST_NAMED = 20

/**
 * The tree with a change applied. Refuses as invalid, by the field `branch`, a change that is in conflict with the tree, changes nothing there, or would be refused in a push.
 */
export async function changedTree({ git }: Services, repository: Repository, change: TreeChange, byHand: string): Promise<ObjectId> {
  const merged = await git.merging.applyChange(repository, change)
  if (merged.kind === "unfit") throw refuse.invalid("branch", t`this would be refused in a push: ${merged.reason}`)
  if (merged.kind === "unrelated") throw refuse.invalid("branch", "git could not apply it")
  if (merged.kind === "conflict") {
    const { files } = merged
    const more = files.length > MOST_NAMED ? t`, and ${files.length - MOST_NAMED} more` : ""
    throw refuse.invalid(
      "branch",
      t`the branch has other changes in the same place, in ${files.slice(0, MOST_NAMED).join(", ")}${more}; nothing was committed. On the command line you can do it by ${byHand}`,
    )
  }
  if (merged.tree === change.onto) throw refuse.invalid("branch", "it would change nothing there")
  return merged.tree
}

export interface Picking {
  /** Take the change back. */
  readonly reverts: boolean
  /** The branch that the commit is made from. */
  readonly branch: string
  /** Another name makes a new branch. */
  readonly newBranch: string
  /** Empty for the usual one. */
  readonly message: string
}

/**
 * Commits what a commit changes against its first parent, or the reverse, to a branch. Who wrote the commit is the author of the same change; that of the reverse is the
 * caller. Refuses as `changedTree` and `commitEdit` do.
 */
export async function pickCommit(
  services: Services,
  by: { readonly actor: SignedIn; readonly on: OnRepository },
  commit: Commit,
  { reverts, branch, newBranch, message }: Picking,
): Promise<Made> {
  const { objects } = services.git
  const [parent] = commit.parents
  const begin = async (repository: Repository, last: Commit): Promise<ObjectId> => {
    const before = parent === undefined ? null : (await objects.readCommit(repository, parent)).tree
    const change = reverts ? { from: commit.tree, to: before } : { from: before, to: commit.tree }
    return changedTree(services, repository, { ...change, onto: last.tree }, onCommandLine(commit, reverts))
  }
  const edit = {
    apply: async () => {},
    begin,
    ...(!reverts && { author: completePerson(commit.author) }),
    defaultMessage: messageOf(commit, reverts),
  }
  return commitEdit(services, by, { branch, new_branch: newBranch, message }, edit)
}

const onCommandLine = ({ id, parents }: Commit, reverts: boolean): string =>
  `git ${reverts ? "revert" : "cherry-pick"} ${parents.length > 1 ? "-m 1 " : ""}${id}`

/** The usual message: that of the commit with its id, or what is taken back. */
export function messageOf({ id, message, parents }: Commit, reverts: boolean): string {
  if (!reverts) return `${message.trim()}\n\n(cherry picked from commit ${id})`
  const [subject = ""] = message.trim().split("\n", 1)
  const of = parents.length > 1 ? `, reversing\nchanges made to ${parents[0]}` : ""
  return `Revert "${subject}"\n\nThis reverts commit ${id}${of}.`
}
