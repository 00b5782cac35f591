import type { Git, ObjectId, Repository } from "../../../git/index.ts"

/** The commits that a push adds to a pull request's timeline. */

/** The most commits that an entry names. */
const MOST_COMMITS = 250

export interface PushedCommits {
  /** Oldest first; after a force-push the old commit and the new one. */
  readonly commits: readonly ObjectId[]
  readonly isForced: boolean
}

/** The commits that `to` has and `from` lacks, oldest first; of a long list the newest ones. Runs git. */
export async function commitsBetween(
  git: Git,
  repository: Repository,
  { from, to }: { readonly from: ObjectId; readonly to: ObjectId },
): Promise<readonly ObjectId[]> {
  const { commits } = await git.history.between(repository, { to, from, limit: MOST_COMMITS, countAtMost: MOST_COMMITS })
  return commits.map(({ id }) => id).toReversed()
}

/** The new commits of a branch after a push. Runs git. */
export async function pushedCommits(
  git: Git,
  repository: Repository,
  { from, to }: { readonly from: ObjectId | null; readonly to: ObjectId },
): Promise<PushedCommits> {
  if (from === null) return { commits: [to], isForced: false }
  const isForced = !(await git.history.isAncestor(repository, from, to))
  return { commits: isForced ? [from, to] : await commitsBetween(git, repository, { from, to }), isForced }
}
