import type { Repository as RepositoryRow } from "../../access/permission.ts"
import type { Services } from "../../core/services.ts"
import { branchOf, type Repository } from "../../git/index.ts"
import { READ_COMMITS, type ReferringCommit, referringCommits } from "../references/commits.ts"
import type { RefChange } from "./after.ts"
import { readTips } from "./branches.ts"

/** Branches of one push whose commits are read. */
const READ_BRANCHES = 100

/**
 * The pushed commits that refer to issues, oldest first on each branch. Of a branch that is new, those that the default branch hasn't.
 * Reads git.
 */
export async function readReferringCommits(
  { git, site }: Services,
  row: Pick<RepositoryRow, "default_branch">,
  repository: Repository,
  changes: readonly RefChange[],
): Promise<readonly ReferringCommit[]> {
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
