import { branchOf, type ObjectId } from "../../../git/index.ts"
import { readTips } from "../../code/pushes/branches.ts"
import { READ_COMMITS } from "../../code/pushes/new-commits.ts"
import type { MovedPush, PushStep } from "../../code/pushes/step.ts"
import { type ReferringCommit, referencesInPushedCommits, referringCommits } from "./commits.ts"

/** Branches of one push whose commits are read. */
const READ_BRANCHES = 100

/** What pushed commits say of issues comes about. */
export const followCommits: PushStep = async (moved) => {
  const commits = await readReferringCommits(moved)
  const { merge, changes } = moved
  // The commit that merges a pull request names it, which tells it nothing.
  const silent = merge && { issueId: merge.issueId, commitId: changes[0]?.newId }
  return (tx, written) => referencesInPushedCommits(tx, moved.services, { ...written, commits, silent })
}

/** The pushed commits that refer to issues, oldest first on each branch. Of a branch that is new, those that the default branch hasn't. */
async function readReferringCommits({
  services: { git, site },
  row,
  repository,
  changes,
  newCommits,
}: MovedPush): Promise<readonly ReferringCommit[]> {
  const found: ReferringCommit[] = []
  // The commits of a mirror speak of the issues of the repository that it follows.
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
