import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId, Person, Repository } from "../../../git/index.ts"
import type { Built } from "./build.ts"

/** A branch that is to be brought up to date with another. */
export interface BranchUpdate {
  readonly from: ObjectId
  readonly tip: ObjectId
  readonly committer: Person
}

/** Writes a commit on `tip` that merges `from`. Refuses `conflict`. */
export async function writeMergeCommit(
  { git }: Services,
  repository: Repository,
  { from, tip, committer, message }: BranchUpdate & { readonly message: string },
): Promise<Built> {
  const merged = await git.merging.mergeTrees(repository, tip, from)
  if (merged.kind === "unrelated") throw refuse.conflict("the branches have no commit in common")
  if (merged.kind === "conflict") throw refuse.conflict(`the branches are in conflict: ${merged.files.slice(0, 20).join(", ")}`)
  const id = await git.objects.writeCommit(repository, { tree: merged.tree, parents: [tip, from], author: committer, committer, message })
  return { id, written: [id] }
}
