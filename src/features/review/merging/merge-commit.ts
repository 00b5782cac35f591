import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId, Person, Repository } from "../../../git/index.ts"
import { signed } from "../../code/signatures/signing.ts"
import type { Built } from "./build.ts"

/** A branch that is to be brought up to date with another. */
export interface BranchUpdate {
  readonly from: ObjectId
  readonly tip: ObjectId
  readonly committer: Person
  /** Who has it made. */
  readonly user: User
}

/** Writes a commit on `tip` that merges `from`. Refuses `conflict`, and `invalid` a merge that would be refused in a push. */
export async function writeMergeCommit(
  services: Services,
  repository: Repository,
  { from, tip, committer, user, message }: BranchUpdate & { readonly message: string },
): Promise<Built> {
  const { git } = services
  const merged = await git.merging.mergeTrees(repository, tip, from)
  if (merged.kind === "unfit") throw refuse.invalid("branch", t`the merge would be refused in a push: ${merged.reason}`)
  if (merged.kind === "unrelated") throw refuse.conflict("the branches have no commit in common")
  if (merged.kind === "conflict") throw refuse.conflict(t`the branches are in conflict: ${merged.files.slice(0, 20).join(", ")}`)
  const unsigned = { tree: merged.tree, parents: [tip, from], author: committer, committer, message }
  const id = await git.objects.writeCommit(repository, await signed(services, { purpose: "merges", user, repository }, unsigned))
  return { id, written: [id] }
}
