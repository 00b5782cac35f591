import { Mode } from "../../../access/modes.ts"
import { locateRepositoryById, type OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, isBranchName } from "../../../git/index.ts"
import { commitPerson } from "../../code/commits/people.ts"
import { codeMode } from "../../code/pushes/admission.ts"
import { pushFromServer } from "../../code/pushes/server-push.ts"
import { bringCommit } from "../pulls/refs.ts"
import { writeMergeCommit } from "./merge-commit.ts"

/** The result of bringing a fork's branch up to date. */
export type UpstreamMerge = "up-to-date" | "fast-forward" | "merge"

/**
 * Brings a branch of a fork up to date with the branch of that name in the repository it was forked from, or else with that repository's default
 * branch.
 * Refuses `badRequest` a repository that is no fork, and a branch that can't be fast-forwarded where only that was asked for; `notFound` a missing
 * branch; `forbidden` where the caller may not read the code of the upstream; `conflict` a merge conflict.
 */
export async function mergeUpstream(
  services: Services,
  on: OnRepository & Me,
  { branch, forwardOnly }: { readonly branch: string; readonly forwardOnly: boolean },
): Promise<UpstreamMerge> {
  const { git } = services
  const { repository: row, me, actor } = on
  if (row.fork_of_id === null) throw refuse.badRequest("the repository is not a fork")
  const upstream = await locateUpstream(services, on, row.fork_of_id)
  const fork = git.at(row.storage, row.object_format)
  const base = git.at(upstream.repository.storage, upstream.repository.object_format)
  const tip = isBranchName(branch) ? await git.references.resolve(fork, branchRef(branch)) : undefined
  if (tip === undefined) throw refuse.notFound()
  const { default_branch } = upstream.repository
  const from =
    (await git.references.resolve(base, branchRef(branch))) ??
    (default_branch === "" ? undefined : await git.references.resolve(base, branchRef(default_branch)))
  if (from === undefined) throw refuse.notFound()

  if (from === tip) return "up-to-date"
  await bringCommit(services, { repository: base, id: from }, fork)
  if (await git.history.isAncestor(fork, from, tip)) return "up-to-date"
  const forwards = await git.history.isAncestor(fork, tip, from)
  if (!forwards && forwardOnly) throw refuse.badRequest("the branches have diverged: a fast-forward is not possible")
  const update = { from, tip, committer: commitPerson(services, me), user: me, message: "merge upstream\n" }
  const made = forwards ? { id: from, written: [] } : await writeMergeCommit(services, fork, update)
  await pushFromServer(services, actor, on, [{ ref: branchRef(branch), oldId: tip, newId: made.id }])
  return forwards ? "fast-forward" : "merge"
}

/** The repository that a fork was made from, for a caller who may read its code. */
async function locateUpstream({ database }: Services, { actor }: Me, id: number): Promise<OnRepository> {
  try {
    const upstream = await locateRepositoryById(database.read, actor, id)
    if (codeMode(upstream) >= Mode.read) return upstream
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  throw refuse.forbidden("the code of the repository that this is a fork of is not yours to read")
}
