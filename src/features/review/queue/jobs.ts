import { defineJob, type JobDefinition, type Task } from "../../../core/jobs/jobs.ts"
import { deleteMergedBranch } from "../merging/delete-branch.ts"
import { findMerging } from "../merging/jobs.ts"
import { advance, deleteLandedBranch, leaving, removeTrialRef, trialIsDue } from "./kinds.ts"
import { leaveQueue } from "./leaving.ts"
import { findBusyQueues, findQueue, findTrial, removeOldTrials } from "./store.ts"
import { removeReference } from "./trials.ts"

/** The jobs of merge queues, and what the clock does for them. */

export const queueJobs: readonly JobDefinition[] = [
  defineJob({
    ...advance,
    run: async ({ queueId }, { context, signal }) => (await import("./advance.ts")).advanceQueue(context, queueId, signal),
  }),
  defineJob({
    ...trialIsDue,
    run: async ({ queueId }, { context, signal }) => (await import("./advance.ts")).advanceQueue(context, queueId, signal),
  }),
  defineJob({
    ...leaving,
    run: (left, { context }) => leaveQueue(context, left),
  }),
  defineJob({
    ...removeTrialRef,
    run: async ({ trialId }, { context }) => {
      const db = context.database.read
      const trial = await findTrial.first(db, { id: trialId })
      const queue = trial && (await findQueue.first(db, { id: trial.queue_id }))
      if (queue) await removeReference(context, trial, queue)
    },
  }),
  defineJob({
    ...deleteLandedBranch,
    run: async ({ pullId, userId }, { context }) => {
      const found = await findMerging(context, pullId, userId)
      if (found?.pull.is_merged === 1) await deleteMergedBranch(context, found)
    },
  }),
]

/** Rights and the repository's state change without an event that queues hear of. */
export const advanceMergeQueues: Task = {
  name: "advance_merge_queues",
  cron: "*/5 * * * *",
  run: async ({ database, jobs }) => {
    const busy = await findBusyQueues(database.read)
    if (busy.length > 0)
      await database.write(async (tx) => {
        for (const { id } of busy) await jobs.enqueue(tx, advance, { queueId: id })
      })
    return undefined
  },
}

/** How long trials that have ended are shown, in seconds. */
const KEPT = 30 * 86_400

export const forgetTrials: Task = {
  name: "forget_merge_trials",
  cron: "50 3 * * *",
  run: async ({ database, now }) => {
    const removed = await database.write((tx) => removeOldTrials.changes(tx, { before: now() - KEPT }))
    return `${removed} removed`
  },
}
