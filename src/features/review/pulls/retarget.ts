import type { Owned } from "../../../access/permission.ts"
import type { Issue } from "../../../access/policies/issues.ts"
import type { Pull } from "../../../access/policies/pulls.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { ObjectId } from "../../../git/index.ts"
import { touchIssue } from "../../planning/issues/touch-store.ts"
import { refreshOfficial } from "../reviews/official.ts"
import { type Comparison, refreshStale } from "../reviews/stale.ts"
import { type Assessment, assessedColumns } from "./mergeability.ts"
import { dropSchedule } from "./scheduled-merge.ts"
import { updatePull } from "./store.ts"
import { whyNotOpen } from "./twins.ts"

/** The assessment of a head against a new base. */
export interface NewBase {
  readonly headId: ObjectId
  readonly mergeBase: ObjectId | undefined
  readonly comparison: Comparison | undefined
  /** Without it the pull request is assessed when it is next read. */
  readonly assessment?: Assessment
}

export interface Retarget extends Owned {
  readonly issue: Issue
  readonly pull: Pull
  /** The new base branch. */
  readonly base: string
  /** The assessment against it; without one, verdicts are taken as stale. */
  readonly found: NewBase | undefined
  readonly actor: User
  readonly now: Seconds
}

/** The reason why a pull request can't have another base, or undefined. */
export async function whyNotRetargeted(tx: Transaction, { issue, pull, base }: Pick<Retarget, "issue" | "pull" | "base">) {
  if (issue.is_closed === 1) return refuse.invalid("base", "a closed pull request keeps its base")
  if (pull.head_repository_id === pull.repository_id && pull.head_branch === base)
    return refuse.invalid("base", "head and base are the same branch")
  return whyNotOpen(tx, { ...pull, base_branch: base, author_id: issue.author_id })
}

/**
 * Gives a pull request another base, with a timeline entry. Which of its reviews count is then up to that branch's rule, and they are stale where the
 * changes differ from there. A scheduled merge was meant for the other branch and is removed. Repository, issue and pull request must be locked.
 * Refuses as invalid a closed one, and its own head as base; `conflict` where another open one has the same ends.
 */
export async function retargetPull(tx: Transaction, retarget: Retarget): Promise<void> {
  const { issue, pull, base, repository, owner, actor, now } = retarget
  const refusal = await whyNotRetargeted(tx, retarget)
  if (refusal) throw refusal
  // If the head has moved since the assessment, it is assessed again.
  const found = retarget.found?.headId === pull.head_id ? retarget.found : undefined
  const unknown = { mergeability: "checking", ...(found && { merge_base: found.mergeBase ?? "" }) } as const
  await updatePull(tx, pull.id, { base_branch: base, stands_on: "", ...(found?.assessment ? assessedColumns(found.assessment) : unknown) })
  publish(tx, { kind: "issue.edited", issue, actor, changes: { base: { from: pull.base_branch, to: base } }, at: now })
  await dropSchedule(tx, { pullId: pull.id, issue, actor, now })
  await touchIssue(tx, issue, now)
  const retargeted = { issue, pull: { issue_id: issue.id, base_branch: base }, repository, owner }
  await refreshOfficial(tx, retargeted, retargeted.pull)
  await refreshStale(tx, { ...retargeted, comparison: found?.comparison, pusher: actor, now })
}
