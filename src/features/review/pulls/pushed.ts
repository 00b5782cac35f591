import type { Git, ObjectId, Repository } from "../../../git/index.ts"

/** What a pull request's timeline tells of the commits that came. */

/** The most commits that an entry names: beyond that nobody reads them one by one. */
const MOST_COMMITS = 250

export interface PushedCommits {
  /** Oldest first; where the branch was thrown back, its old commit and its new one. */
  readonly commits: readonly ObjectId[]
  readonly isForced: boolean
}

/** The commits that `to` has and `from` has not, oldest first; of a long row the newest ones. Asks git. */
export async function commitsBetween(
  git: Git,
  repository: Repository,
  { from, to }: { readonly from: ObjectId; readonly to: ObjectId },
): Promise<readonly ObjectId[]> {
  const { commits } = await git.history.between(repository, { to, from, limit: MOST_COMMITS, countAtMost: MOST_COMMITS })
  return commits.map(({ id }) => id).toReversed()
}

/** What a push brought to a branch. Asks git. */
export async function pushedCommits(
  git: Git,
  repository: Repository,
  { from, to }: { readonly from: ObjectId | null; readonly to: ObjectId },
): Promise<PushedCommits> {
  if (from === null) return { commits: [to], isForced: false }
  const isForced = !(await git.history.isAncestor(repository, from, to))
  return { commits: isForced ? [from, to] : await commitsBetween(git, repository, { from, to }), isForced }
}
