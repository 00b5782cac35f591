import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { dropSchedule } from "../pulls/scheduled-merge.ts"
import {
  findMergeUnderWay,
  findSchedule,
  findScheduledByCommit,
  findScheduledByIssue,
  findScheduledIn,
  insertSchedule,
} from "../pulls/schedules-store.ts"
import type { Merging } from "./checks.ts"
import type { MergeStyle } from "./records.ts"

/** Merges a pull request whose merge was scheduled, if all checks pass. The request is stored in `pull_schedules`. */
export const scheduledMerge = jobKind({ kind: "pulls.scheduledMerge", payload: Type.Object({ pullId: int64() }) })

/** Merges that wait until all checks pass. When one more condition comes true, `tryScheduledMerge` and its like queue a job that checks them all. */

export interface NewSchedule {
  readonly style: MergeStyle
  /** The whole message, as it is worded now. */
  readonly message: string
  readonly deleteBranch: boolean
}

/** Schedules a merge; it is tried at once. Refuses `conflict` where one is scheduled, `notFound` and `archived` where the state has changed. */
export async function scheduleMerge(tx: Transaction, services: Services, found: Merging, schedule: NewSchedule): Promise<void> {
  const { pull, me } = found
  const now = services.now()
  await lockForIssues(tx, found.repository.id)
  const issue = await lockIssue(tx, found.issue)
  const { style, message } = schedule
  const row = { pullId: pull.id, userId: me.id, style, message, deleteBranch: flag(schedule.deleteBranch), now }
  if ((await insertSchedule.changes(tx, row)) === 0) throw refuse.conflict("an automatic merge of this pull request is scheduled already")
  publish(tx, { kind: "pull.mergeScheduled", issue, actor: me, at: now })
  await services.jobs.enqueue(tx, scheduledMerge, { pullId: pull.id })
}

/**
 * Removes a scheduled merge. Refuses `notFound` where none is scheduled, `forbidden` for a caller who neither scheduled it nor may merge, `conflict`
 * where the merge has begun.
 */
export async function cancelMerge(tx: Transaction, services: Services, found: Merging, mayMerge: boolean): Promise<void> {
  const { pull, me } = found
  await lockForIssues(tx, found.repository.id)
  const issue = await lockIssue(tx, found.issue)
  const schedule = await findSchedule.first(tx, { pullId: pull.id })
  if (!schedule) throw refuse.notFound()
  if (schedule.user_id !== me.id && !mayMerge) throw refuse.forbidden("only who scheduled the merge, and who may merge, may cancel it")
  await lockRow(tx, "pulls", pull.id)
  if (await findMergeUnderWay.first(tx, { pullId: pull.id })) throw refuse.conflict("the pull request is being merged")
  await dropSchedule(tx, { pullId: pull.id, issue, actor: me, now: services.now() })
}

// --- trying again ----------------------------------------------------------------------------------------------------------------

type Outbox = Pick<Services, "jobs">

/** Retries the scheduled merges of pull requests into a repository whose head is this commit: one of its statuses has changed. */
export async function tryScheduledMerges(
  tx: Transaction,
  { jobs }: Outbox,
  { repositoryId, commitId }: { readonly repositoryId: number; readonly commitId: string },
): Promise<void> {
  for (const { id } of await findScheduledByCommit(tx, { repositoryId, commitId })) await jobs.enqueue(tx, scheduledMerge, { pullId: id })
}

/** Retries the scheduled merge of one pull request, if any: a review or its title has changed. */
export async function tryScheduledMerge(tx: Transaction, { jobs }: Outbox, issueId: number): Promise<void> {
  for (const { id } of await findScheduledByIssue(tx, { issueId })) await jobs.enqueue(tx, scheduledMerge, { pullId: id })
}

/** Retries all scheduled merges of a repository: its rules have changed, and may require less now. */
export async function tryMergesOf(tx: Transaction, { jobs }: Outbox, repositoryId: number): Promise<void> {
  for (const { id } of await findScheduledIn(tx, { repositoryId })) await jobs.enqueue(tx, scheduledMerge, { pullId: id })
}
