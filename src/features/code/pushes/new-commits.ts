import { type CommitRange, type Git, isObjectId, type ObjectId, type Repository } from "../../../git/index.ts"
import type { PullMerge } from "./entries.ts"

/** A branch that has moved from one commit to another, or is new. */
export interface Advance {
  readonly oldId: ObjectId | null
  readonly newId: ObjectId
}

/** The new commits of a branch, newest first, and their total; of a whole history only the newest are read. */
export type NewCommits = (advance: Advance) => Promise<CommitRange>

/** The most commits of one push whose messages are read: a larger push is an import, not work on issues. */
export const READ_COMMITS = 500

/** The most commits read of a history pushed at once: it is old work, and the pusher waits. */
const WHOLE_HISTORY = 50

/** Reads each branch's new commits from git once, and shares them among all callers. */
export function openNewCommits(git: Git, repository: Repository, merge: PullMerge | undefined): NewCommits {
  const asked = new Map<string, Promise<CommitRange>>()
  return (advance) => {
    const key = `${advance.oldId} ${advance.newId}`
    const known = asked.get(key) ?? look(git, repository, advance, merge?.mergeBase)
    asked.set(key, known)
    return known
  }
}

async function look(git: Git, repository: Repository, { oldId, newId }: Advance, mergeBase: string | undefined): Promise<CommitRange> {
  if (oldId === null) return git.history.between(repository, { to: newId, limit: WHOLE_HISTORY, countAtMost: WHOLE_HISTORY })
  const newest = await git.objects.readCommit(repository, newId)
  const [base, head] = newest.parents
  // The new commits of a merge are those of the head since the merge base: mostly linear, which takes no process.
  const from = head !== undefined && base === oldId && mergeBase !== undefined && isObjectId(mergeBase) ? mergeBase : undefined
  if (head === undefined || from === undefined) return git.history.between(repository, { to: newId, from: oldId, limit: READ_COMMITS })
  const { commits, total } = await git.history.between(repository, { to: head, from, limit: READ_COMMITS - 1 })
  return { commits: [newest, ...commits], total: total + 1 }
}
