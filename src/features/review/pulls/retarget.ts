import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { ObjectId } from "../../../git/index.ts"
import { touchIssue } from "../../planning/issues/touch.ts"
import { refreshOfficial } from "../reviews/official.ts"
import { type Comparison, refreshStale } from "../reviews/stale.ts"
import { type Assessment, assessedColumns } from "./mergeability.ts"
import { dropSchedule } from "./scheduled-merge.ts"
import { findOpenBetween } from "./store.ts"

/** What another base means for a head. */
export interface NewBase {
  readonly headId: ObjectId
  readonly mergeBase: ObjectId | undefined
  readonly comparison: Comparison | undefined
  /** Without it the pull request is looked at when somebody asks. */
  readonly assessment?: Assessment
}

export interface Retarget extends Owned {
  readonly issue: Issue
  readonly pull: Pull
  /** The branch that it is to be merged into from now on. */
  readonly base: string
  /** What was found out for it; where nothing was, verdicts are taken for stale. */
  readonly found: NewBase | undefined
  readonly actor: User
  readonly now: Seconds
}

/** Why a pull request can't have another base, or undefined. */
export async function whyNotRetargeted(tx: Transaction, { issue, pull, base }: Pick<Retarget, "issue" | "pull" | "base">) {
  if (issue.is_closed === 1) return refuse.invalid("base", "a closed pull request keeps its base")
  if (pull.head_repository_id === pull.repository_id && pull.head_branch === base)
    return refuse.invalid("base", "head and base are the same branch")
  if (pull.head_repository_id === null) return undefined
  const other = await findOpenBetween.first(tx, {
    repositoryId: pull.repository_id,
    baseBranch: base,
    headRepositoryId: pull.head_repository_id,
    headBranch: pull.head_branch,
  })
  return other && refuse.conflict(`there is an open pull request for these branches already: #${other.number}`)
}

/**
 * Gives a pull request another base, with the entry of its timeline: what its reviews count for is then up to the rule of that branch, and they are
 * stale where the pull request changes something else from there. A merge that was scheduled was meant for the other branch. Repository, issue and pull request must be locked. Refuses as invalid one that is
 * closed, and its own head; `conflict` where another goes there from the same head.
 */
export async function retargetPull(tx: Transaction, retarget: Retarget): Promise<void> {
  const { issue, pull, base, repository, owner, actor, now } = retarget
  const refusal = await whyNotRetargeted(tx, retarget)
  if (refusal) throw refusal
  // A head that has moved since it was looked at is looked at again.
  const found = retarget.found?.headId === pull.head_id ? retarget.found : undefined
  const unknown = { mergeability: "checking", ...(found && { merge_base: found.mergeBase ?? "" }) } as const
  await tx
    .updateTable("pulls")
    .set({ base_branch: base, ...(found?.assessment ? assessedColumns(found.assessment) : unknown) })
    .where("id", "=", pull.id)
    .execute()
  publish(tx, { kind: "issue.edited", issue, actor, changes: { base: { from: pull.base_branch, to: base } }, at: now })
  await dropSchedule(tx, { pullId: pull.id, issue, actor, now })
  await touchIssue(tx, issue.id, now)
  const retargeted = { issue, pull: { issue_id: issue.id, base_branch: base }, repository, owner }
  await refreshOfficial(tx, retargeted, retargeted.pull)
  await refreshStale(tx, { ...retargeted, comparison: found?.comparison, pusher: actor, now })
}
