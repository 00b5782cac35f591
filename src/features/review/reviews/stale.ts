import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import type { Diff } from "../../../core/text/hunks.ts"
import { isObjectId, type ObjectId, type Repository } from "../../../git/index.ts"
import { findProtection } from "../../code/protections/rules.ts"
import type { Pull } from "../pulls/store.ts"
import { findReviewed, findStaleApprovals, markStale } from "./cleanup-store.ts"
import { patchIdOf, readDiff } from "./diffs.ts"
import { type LinePosition, type LineRange, positionAfter } from "./line-comments.ts"
import { findCurrentLineComments, moveLineComment, setDismissed } from "./store.ts"

/**
 * Updates reviews when the head moves, or its base: reviews of a head with other changes become stale, and comments follow their lines, or are
 * outdated where these have changed.
 */

/** A pull request before the move, and its new head. */
export interface HeadMove {
  readonly pull: Pull
  /** The base repository, with the new head in it. */
  readonly repository: Repository
  readonly headId: ObjectId
  readonly mergeBase: ObjectId | undefined
}

/** What changes for reviews of the old head. */
export interface Comparison {
  readonly patchId: string
  /** From the old head to the new. */
  readonly head: Diff
  /** From the old merge base to the new one. */
  readonly base: Diff
}

/**
 * Compares a new head with the old one, for `refreshStale`; undefined where there are no reviews. At most three or four git processes, however many
 * reviews there are. Not for inside of a transaction.
 */
export async function compareReviews({ database, git }: Services, move: HeadMove): Promise<Comparison | undefined> {
  const { pull, repository, headId, mergeBase } = move
  const issueId = pull.issue_id
  if (!(await findReviewed.first(database.read, { issueId }))) return undefined
  const patchId = await patchIdOf(git, repository, mergeBase, headId)
  const placed = await findCurrentLineComments(database.read, { issueId })
  const between = async (needed: boolean, from: string, to: ObjectId | undefined): Promise<Diff> => {
    const isThere = needed && isObjectId(from) && (await git.objects.info(repository, from)) !== undefined
    return isThere && to !== undefined ? readDiff(git, repository, from, to, { context: 0 }) : NOTHING
  }
  return {
    patchId,
    head: await between(
      placed.some(({ line }) => line > 0),
      pull.head_id,
      headId,
    ),
    base: await between(
      placed.some(({ line }) => line < 0),
      pull.merge_base,
      mergeBase,
    ),
  }
}

const NOTHING: Diff = { files: [], incomplete: false }

/** A head that was moved by a push, with its comparison. */
export interface HeadMoved extends Owned {
  readonly issue: Issue
  /** The current row. */
  readonly pull: Pick<Pull, "base_branch">
  /** Undefined where there were no reviews; one that was written meanwhile is taken as stale. */
  readonly comparison: Comparison | undefined
  readonly pusher: User
  readonly now: Seconds
}

/**
 * Stores the result of `compareReviews`, in the transaction that stores the new head. Dismisses stale approvals where the base branch's rule says so.
 */
export async function refreshStale(tx: Transaction, moved: HeadMoved): Promise<void> {
  const { issue, comparison } = moved
  await markStale(tx, { issueId: issue.id, patchId: comparison?.patchId ?? "" })
  if (comparison)
    for (const { comment_id, path, line, lines } of await findCurrentLineComments(tx, { issueId: issue.id })) {
      const now = currentPosition(comparison, { path, line, lines })
      if (now.path !== path || now.line !== line || now.isOutdated)
        await moveLineComment(tx, { id: comment_id, path: now.path, line: now.line, isOutdated: flag(now.isOutdated) })
    }
  await dismissStale(tx, moved)
}

/** The position of a line after both sides have moved. */
function currentPosition({ head, base }: Comparison, place: LineRange): LinePosition & { readonly isOutdated: boolean } {
  if (place.line > 0) return positionAfter(head, place)
  const { path, line, isOutdated } = positionAfter(base, { ...place, line: -place.line })
  return { path, line: -line, isOutdated }
}

const WHY_DISMISSED = "The pull request has changed since it was approved."

async function dismissStale(tx: Transaction, moved: HeadMoved): Promise<void> {
  const { issue, pull, repository, owner, pusher, now } = moved
  const approvals = await findStaleApprovals(tx, { issueId: issue.id })
  if (approvals.length === 0) return
  const protection = await findProtection(tx, repository.id, pull.base_branch)
  if (protection?.dismiss_stale_approvals !== 1) return
  await setDismissed(tx, { ids: approvals.map(({ id }) => id), isDismissed: 1, now })
  for (const { id, reviewer_id } of approvals) {
    const review = { id, reviewer_id }
    publish(tx, { kind: "review.dismissed", issue, repository, owner, actor: pusher, review, message: WHY_DISMISSED, at: now })
  }
}
