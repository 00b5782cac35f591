import type { Issue } from "../../access/issue-policies.ts"
import type { Pull } from "../../access/pull-policies.ts"
import type { User } from "../../core/actor.ts"
import type { Transaction } from "../../core/database/database.ts"
import type { Seconds } from "../../core/database/tables.ts"
import { refuse } from "../../core/errors.ts"
import { addTimelineEntry } from "../issues/timeline.ts"
import { touchIssue } from "../issues/touch.ts"
import { type Assessment, assessedColumns } from "./mergeability.ts"
import { findOpenBetween } from "./store.ts"

export interface Retarget {
  readonly issue: Issue
  readonly pull: Pull
  /** The branch that it is to be merged into from now on. */
  readonly base: string
  /** What was found out for it; without it the pull request is looked at when somebody asks. */
  readonly assessment?: Assessment
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
 * Gives a pull request another base, with the entry of its timeline. Repository, issue and pull request must be held. Refuses as invalid one that is
 * closed, and its own head; `conflict` where another goes there from the same head.
 */
export async function retargetPull(tx: Transaction, retarget: Retarget): Promise<void> {
  const { issue, pull, base, assessment, actor, now } = retarget
  const refusal = await whyNotRetargeted(tx, retarget)
  if (refusal) throw refusal
  // A head that has moved since it was looked at is looked at again.
  const isKnown = assessment?.headId === pull.head_id
  await tx
    .updateTable("pulls")
    .set({ base_branch: base, ...(assessment && isKnown ? assessedColumns(assessment) : { mergeability: "checking" }) })
    .where("id", "=", pull.id)
    .execute()
  await addTimelineEntry(tx, {
    issueId: issue.id,
    kind: "change_target_branch",
    authorId: actor.id,
    now,
    old_ref: pull.base_branch,
    new_ref: base,
  })
  await touchIssue(tx, issue.id, now)
}
