import type { Issue } from "../../../access/policies/issues.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { recountMilestones } from "../milestones/rules.ts"
import { findMilestoneById } from "../milestones/store.ts"
import { lockIssue } from "./lock.ts"
import { updateIssue } from "./store.ts"
import { touchIssue } from "./touch-store.ts"

/**
 * Sets the milestone of an issue, or removes it for null, and recounts both milestones. Does nothing where it is unchanged. Refuses as
 * `invalid` a milestone that the repository does not have, `notFound` where the issue is gone.
 */
export async function setMilestone(
  tx: Transaction,
  issue: Pick<Issue, "id" | "repository_id" | "is_pull">,
  milestoneId: number | null,
  actor: User,
  now: Seconds,
): Promise<void> {
  const { milestone_id: old } = await lockIssue(tx, issue)
  if (old === milestoneId) return
  if (milestoneId !== null) {
    // Locked, so that it can't be deleted before the issue refers to it.
    await lockRow(tx, "milestones", milestoneId)
    if (!(await findMilestoneById.first(tx, { repositoryId: issue.repository_id, id: milestoneId })))
      throw refuse.invalid("milestone", t`there is no milestone ${milestoneId} in this repository`)
  }
  await updateIssue(tx, issue.id, { milestone_id: milestoneId })
  publish(tx, { kind: "issue.milestoned", issue, actor, from: old, to: milestoneId, at: now })
  await recountMilestones(tx, [old, milestoneId], now)
  await touchIssue(tx, issue, now)
}
