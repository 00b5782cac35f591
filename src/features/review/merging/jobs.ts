import { locatePull } from "../../../access/policies/pulls.ts"
import { locateRepositoryById } from "../../../access/policies/repositories.ts"
import { findUserById } from "../../../access/store.ts"
import { signedInAs } from "../../../core/actor.ts"
import { Refusal } from "../../../core/errors.ts"
import { extensionPoint } from "../../../core/extensions.ts"
import { defineJob, type Task } from "../../../core/jobs/jobs.ts"
import type { Services } from "../../../core/services.ts"
import { MERGE_STYLES } from "../../code/repositories/records.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { findSchedule, findScheduledIds, removeSchedule } from "../pulls/schedules-store.ts"
import { findPull } from "../pulls/store.ts"
import type { Merging } from "./checks.ts"
import { findManualMerges } from "./manual.ts"
import { type MergeOptions, mergePull } from "./merge.ts"
import { detectManualMerges } from "./on-push.ts"
import { scheduledMerge } from "./schedule.ts"

/** Takes over a scheduled merge whose time may have come: false where that is not its own. Refuses what is still against it. */
export type ScheduledMerger = (services: Services, found: Merging, options: MergeOptions) => Promise<boolean>

/** What merges scheduled pull requests in another way; the root lists them (src/extensions.ts). */
export const scheduledMergers = extensionPoint<ScheduledMerger>("scheduled merges")

/** Runs a scheduled merge in the name of the user who scheduled it, with all checks of any merge. If a check fails, it stays scheduled. */
export const scheduledMergeJob = defineJob({
  ...scheduledMerge,
  run: async ({ pullId }, { context: services }) => {
    const { database, log } = services
    const schedule = await findSchedule.first(database.read, { pullId })
    const style = MERGE_STYLES.find((known) => known === schedule?.style)
    const found = schedule && (await findMerging(services, pullId, schedule.user_id))
    if (!schedule || !style || !found) return
    // A pull request that was merged or closed otherwise is not merged when it is reopened.
    if (found.issue.is_closed === 1) {
      await database.write((tx) => removeSchedule(tx, { pullId }))
      return
    }
    const { message, delete_branch } = schedule
    const options = { style, message, headId: "", force: false, deleteBranch: delete_branch === 1, automatic: true }
    try {
      for (const merger of scheduledMergers.of(services)) if (await merger(services, found, options)) return
      await mergePull(services, found, options)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      log.info({ pull: pullId, reason: error.message }, "a scheduled merge has to wait")
    }
  },
})

/** The pull request with the user's current permission; undefined where they can't reach it any more. */
export async function findMerging({ database }: Services, pullId: number, userId: number): Promise<Merging | undefined> {
  const db = database.read
  const pull = await findPull.first(db, { id: pullId })
  const issue = pull && (await findIssueById.first(db, { id: pull.issue_id }))
  const me = await findUserById.first(db, { id: userId })
  if (!pull || !issue || !me || me.is_active === 0 || me.prohibit_login === 1) return undefined
  const actor = signedInAs(me)
  try {
    const on = await locateRepositoryById(db, actor, pull.repository_id)
    return on.repository.is_archived === 1 ? undefined : { ...on, actor, me, ...(await locatePull(db, on.repository, issue.number)) }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

export const detectManualMergesJob = defineJob({
  ...detectManualMerges,
  run: (detecting, { context }) => findManualMerges(context, detecting),
})

/** Rules, permissions and dependencies change without an event, so scheduled merges are also retried from time to time. */
export const retryScheduledMerges: Task = {
  name: "retry_scheduled_merges",
  cron: "*/10 * * * *",
  run: async ({ database, jobs }) => {
    const scheduled = await findScheduledIds(database.read)
    await database.write(async (tx) => {
      for (const { pull_id } of scheduled) await jobs.enqueue(tx, scheduledMerge, { pullId: pull_id })
    })
    return undefined
  },
}
