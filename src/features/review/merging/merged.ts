import type { Owned } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag, type Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { lockIssue } from "../../planning/issues/lock.ts"
import { writeState } from "../../planning/issues/state.ts"
import { findSchedule, removeSchedule } from "../pulls/schedules-store.ts"
import { claimForMerge, findPull, markMerged, type Pull } from "../pulls/store.ts"
import { closeReferredIssues } from "./closing.ts"

export interface Claim {
  /** The journal entry of the push; 0 without a push. */
  readonly entryId: number
  /** The merge was scheduled, and must still be. */
  readonly automatic: boolean
}

/**
 * Makes sure that a pull request is merged only once, and in the state that was checked. The merge holds it by the journal entry of the push. Once
 * that entry is gone, because the push was refused or is recorded completely, the next merge may try. Refuses `methodNotAllowed`.
 */
export async function claimPull(
  tx: Transaction,
  pull: Pick<Pull, "id" | "head_id" | "base_branch">,
  { entryId, automatic }: Claim,
): Promise<void> {
  const { id, head_id, base_branch } = pull
  // Locked by a separate statement: one that waited for the row itself would see the journal as of before the wait, without the entry of the merge
  // that it waited for.
  await lockRow(tx, "pulls", id)
  if ((await claimForMerge.changes(tx, { id, headId: head_id, baseBranch: base_branch, entryId })) === 0)
    throw refuse.methodNotAllowed("the pull request is being merged already, or was changed meanwhile")
  // Read with the pull request locked, as cancelling locks it.
  if (automatic && !(await findSchedule.first(tx, { pullId: id }))) throw refuse.methodNotAllowed("the merge is not scheduled any more")
}

export interface Merge extends Owned {
  readonly pullId: number
  /** The commit that the base branch names now, or the commit that merged it by hand. */
  readonly commitId: string
  readonly merger: User
  /** "automatic": it was scheduled; "manual": it was done outside. */
  readonly how: "asked" | "automatic" | "manual"
  readonly mergedAt: Seconds
  readonly now: Seconds
}

/**
 * Records that a pull request is merged, with all that follows: closes it, writes its timeline and the feed, notifies, closes the issues that its
 * texts refer to, and removes its schedule. Does nothing where it is merged already, or gone. The repository's row must be locked.
 */
export async function recordMerge(tx: Transaction, services: Services, merge: Merge): Promise<void> {
  const { repository, owner, merger, now } = merge
  const known = await findPull.first(tx, { id: merge.pullId })
  if (!known) return
  const issue = await lockIssue(tx, { id: known.issue_id, repository_id: known.repository_id })
  await lockRow(tx, "pulls", merge.pullId)
  const pull = await markMerged.first(tx, {
    id: merge.pullId,
    mergedAt: merge.mergedAt,
    mergedById: merger.id,
    commitId: merge.commitId,
    manually: flag(merge.how === "manual"),
  })
  if (!pull) return
  await removeSchedule(tx, { pullId: pull.id })
  const closed = issue.is_closed === 1 ? issue : await writeState(tx, issue, true, now)
  publish(tx, { kind: "pull.merged", issue: closed, repository, owner, actor: merger, isAutomatic: merge.how === "automatic", at: now })
  await closeReferredIssues(tx, services, { pullIssue: closed, merger, commitId: merge.commitId, now })
}
