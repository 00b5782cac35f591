import type { OnPull } from "../../../access/policies/pulls.ts"
import { refuse } from "../../../core/errors.ts"
import { t, type Words } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import { mergeRef } from "../pulls/refs.ts"

/** The result of merging base and head as both are now. */
export interface Trial {
  readonly repository: Repository
  readonly base: ObjectId
  readonly head: ObjectId
  /** The tree of the merge. */
  readonly tree: ObjectId
}

/**
 * Tries to merge base and head. Reads git's references rather than rows, which may be a moment behind. No process where the last assessment is of the
 * same two commits, else one.
 * Refuses `invalid` a merge that would be refused in a push; `methodNotAllowed` a conflict, unrelated histories, a head that the base contains already, and a base that is gone.
 */
export async function tryMerge(
  { git }: Services,
  { repository: row, issue, pull }: Pick<OnPull, "repository" | "issue" | "pull">,
): Promise<Trial> {
  const repository = git.at(row.storage, row.object_format)
  const base = await git.references.resolve(repository, branchRef(pull.base_branch))
  if (base === undefined) throw later(t("the base branch is gone"))
  const head = objectId(pull.head_id)
  const tree = (await keptTree()) ?? (await mergedTree())
  const changesNothing = tree === (await git.objects.readCommit(repository, base)).tree
  if (changesNothing && (await git.history.isAncestor(repository, head, base))) throw later(t("the base has all of these commits already"))
  return { repository, base, head, tree }

  /** The tree of refs/pull/N/merge, if it merges these two commits. */
  async function keptTree(): Promise<ObjectId | undefined> {
    const kept = await git.references.resolve(repository, mergeRef(issue.number))
    const commit = kept && (await git.objects.readCommit(repository, kept))
    return commit && commit.parents[0] === base && commit.parents[1] === head ? commit.tree : undefined
  }

  async function mergedTree(): Promise<ObjectId> {
    const merged = await git.merging.mergeTrees(repository, base ?? head, head)
    if (merged.kind === "clean") return merged.tree
    if (merged.kind === "unfit") throw refuse.invalid("index", t`the merge would be refused in a push: ${merged.reason}`)
    if (merged.kind === "unrelated") throw later(t("base and head have no commit in common"))
    throw later(t`base and head are in conflict: ${merged.files.slice(0, 20).join(", ")}`)
  }
}

/** Clients know the sentence before the colon; the rest is for people. */
const later = (reason: Words) => refuse.methodNotAllowed(t`Please try again later: ${reason}`)
