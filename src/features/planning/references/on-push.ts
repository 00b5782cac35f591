import { branchOf, type ObjectId } from "../../../git/index.ts"
import { readTips } from "../../code/pushes/branches.ts"
import { READ_COMMITS } from "../../code/pushes/new-commits.ts"
import type { MovedPush, PushStep } from "../../code/pushes/step.ts"
import { applyPushedReferences, type ReferringCommit, referringCommits } from "./commits.ts"

/** The most branches of one push whose commits are read. */
const READ_BRANCHES = 100

/** Applies the references to issues in pushed commits. */
export const applyCommitReferences: PushStep = async (moved) => {
  const commits = await readReferringCommits(moved)
  const { merge, changes } = moved
  // The merge commit of a pull request names it, which needs no entry.
  const excluded = merge && { issueId: merge.issueId, commitId: changes[0]?.newId }
  return (tx, written) => applyPushedReferences(tx, moved.services, { ...written, commits, excluded })
}

/** The pushed commits that refer to issues, oldest first on each branch. Of a new branch, those that are not on the default branch. */
async function readReferringCommits({
  services: { git, site },
  row,
  repository,
  changes,
  newCommits,
}: MovedPush): Promise<readonly ReferringCommit[]> {
  const found: ReferringCommit[] = []
  // The commits of a mirror refer to issues of its upstream repository.
  if (row.is_mirror === 1) return found
  for (const { ref, oldId, newId } of changes.slice(0, READ_BRANCHES)) {
    const branch = branchOf(ref)
    if (branch === undefined || newId === null) continue
    const base = oldId === null && branch !== row.default_branch ? await defaultTip() : undefined
    const { commits } = base === undefined ? await newCommits({ oldId, newId }) : await beyond(base, newId)
    found.push(...referringCommits(site.rootUrl, branch, commits.toReversed()))
  }
  return found

  async function defaultTip(): Promise<ObjectId | undefined> {
    const [tip] = await readTips(git, repository, [row.default_branch])
    return tip?.commit?.id
  }

  function beyond(base: ObjectId, newId: ObjectId) {
    return git.history.between(repository, { to: newId, from: base, limit: READ_COMMITS, countAtMost: READ_COMMITS })
  }
}
