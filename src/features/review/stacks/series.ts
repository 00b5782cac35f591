import type { Services } from "../../../core/services.ts"
import type { Commit, ObjectId, Repository } from "../../../git/index.ts"
import { identityOf } from "../../code/commits/identity.ts"

/** The commits of a push to `refs/for/BRANCH` without a topic: a series, of which each commit is a change with an identity. */

/** The most changes of a series. Each is assessed while the pusher waits. */
export const MOST_CHANGES = 30

/** One change of a series. */
export interface Change {
  readonly id: string
  readonly commit: Commit
  /** The commit that it stands on; undefined for the lowest, which is compared with the branch. */
  readonly below: ObjectId | undefined
}

/** How an id is named to people. */
const short = (id: string): string => id.slice(0, 10)

/**
 * Reads the changes between a branch and a commit, the lowest first. Gives words for the pusher where they are none: a merge, a commit without an identity or with
 * an odd one, an identity that comes twice, and too many of them.
 */
export async function readSeries(
  { git }: Services,
  repository: Repository,
  { branch, from, to }: { readonly branch: string; readonly from: ObjectId; readonly to: ObjectId },
): Promise<readonly Change[] | string> {
  const most = MOST_CHANGES + 1
  const { commits } = await git.history.between(repository, { to, from, limit: most, countAtMost: most })
  if (commits.length === 0) return `${branch} has all of these commits already`
  if (commits.length > MOST_CHANGES)
    return `more than ${MOST_CHANGES} changes in one series; push its lower part first, or the whole as one pull request to refs/for/${branch}/TOPIC`
  const changes: Change[] = []
  const seen = new Map<string, ObjectId>()
  for (const commit of commits.toReversed()) {
    const name = short(commit.id)
    if (commit.parents.length > 1)
      return `commit ${name} is a merge: a stack is a line of single commits; rebase it, or push it as one pull request to refs/for/${branch}/TOPIC`
    const identity = identityOf(commit)
    if (identity.kind === "none")
      return `topic-branch is not set: push to refs/for/${branch}/TOPIC, or with -o topic=TOPIC; or give every commit a Change-Id for a stack (commit ${name} has none)`
    if (identity.kind === "several") return `commit ${name} has more than one Change-Id`
    if (identity.kind === "odd") return `the Change-Id of commit ${name} must be up to 100 letters, digits, - and _`
    const other = seen.get(identity.id)
    if (other !== undefined) return `commits ${short(other)} and ${name} have the same Change-Id: squash them, or give one another`
    seen.set(identity.id, commit.id)
    changes.push({ id: identity.id, commit, below: changes.at(-1)?.commit.id })
  }
  return changes
}
