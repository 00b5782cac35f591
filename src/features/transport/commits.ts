import { branchOf, type ObjectId } from "../../git/index.ts"
import { READ_COMMITS, type ReferringCommit, referencesInPushedCommits, referringCommits } from "../references/commits.ts"
import { readTips } from "./branches.ts"
import type { Consequence, Moved } from "./consequences.ts"

/** Branches of one push whose commits are read. */
const READ_BRANCHES = 100

/** What pushed commits say of issues comes about. */
export const followCommits: Consequence = async (moved) => {
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
  gained,
}: Moved): Promise<readonly ReferringCommit[]> {
  const found: ReferringCommit[] = []
  // The commits of a mirror speak of the issues of the repository that it follows.
  if (row.is_mirror === 1) return found
  for (const { ref, oldId, newId } of changes.slice(0, READ_BRANCHES)) {
    const branch = branchOf(ref)
    if (branch === undefined || newId === null) continue
    const { commits } = oldId === null ? await ofNewBranch(branch, newId) : await gained({ oldId, newId })
    found.push(...referringCommits(site.rootUrl, branch, commits.toReversed()))
  }
  return found

  async function ofNewBranch(branch: string, newId: ObjectId) {
    const [base] = branch === row.default_branch ? [] : await readTips(git, repository, [row.default_branch])
    return git.history.between(repository, { to: newId, from: base?.commit?.id, limit: READ_COMMITS, countAtMost: READ_COMMITS })
  }
}
