import { branchOf } from "../../git/index.ts"
import { READ_COMMITS, type ReferringCommit, referencesInPushedCommits, referringCommits } from "../references/commits.ts"
import { readTips } from "./branches.ts"
import type { Consequence, Moved } from "./consequences.ts"

/** Branches of one push whose commits are read. */
const READ_BRANCHES = 100

/** What pushed commits say of issues comes about. */
export const followCommits: Consequence = async (moved) => {
  const commits = await readReferringCommits(moved)
  return (tx, written) => referencesInPushedCommits(tx, moved.services, { ...written, commits })
}

/** The pushed commits that refer to issues, oldest first on each branch. Of a branch that is new, those that the default branch hasn't. */
async function readReferringCommits({ services: { git, site }, row, repository, changes }: Moved): Promise<readonly ReferringCommit[]> {
  const found: ReferringCommit[] = []
  for (const { ref, oldId, newId } of changes.slice(0, READ_BRANCHES)) {
    const branch = branchOf(ref)
    if (branch === undefined || newId === null) continue
    const [base] = oldId === null && branch !== row.default_branch ? await readTips(git, repository, [row.default_branch]) : []
    const from = oldId ?? base?.commit?.id
    const { commits } = await git.history.between(repository, { to: newId, from, limit: READ_COMMITS, countAtMost: READ_COMMITS })
    found.push(...referringCommits(site.rootUrl, branch, commits.toReversed()))
  }
  return found
}
