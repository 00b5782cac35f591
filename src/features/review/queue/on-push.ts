import { findUserById } from "../../../access/store.ts"
import type { PushStep } from "../../code/pushes/step.ts"
import { standIn } from "../../people/users/present.ts"
import { recordMerge } from "../merging/merged.ts"
import { deleteLandedBranch } from "./kinds.ts"
import { findEntries, findQueue, findTrial, isOpen, removeEntry } from "./store.ts"
import { endTrial, lockQueue } from "./trials.ts"

/** Marks the pull requests of a trial as merged, in the transaction that records the push which lands it. */
export const completeLanding: PushStep = async ({ services, landing, changes: [change] }) => {
  if (!landing || !change) return async () => {}
  return async (tx, { repository, owner, now }) => {
    const trial = await findTrial.first(tx, { id: landing.trialId })
    const queue = trial && (await findQueue.first(tx, { id: trial.queue_id }))
    if (!trial || !queue || change.newId !== trial.commit_id || !(await lockQueue(tx, queue)) || !isOpen(trial)) return
    const parts = (await findEntries(tx, { queueId: queue.id })).filter(({ trial_id }) => trial_id === trial.id)
    for (const { pull_id: pullId, user_id: userId, commit_id: commitId, delete_branch } of parts) {
      const merger = (await findUserById.first(tx, { id: userId })) ?? standIn(userId)
      await recordMerge(tx, services, { repository, owner, pullId, commitId, merger, how: "automatic", mergedAt: now, now })
      if (delete_branch === 1) await services.jobs.enqueue(tx, deleteLandedBranch, { pullId, userId })
    }
    for (const { id } of parts) await removeEntry(tx, { id })
    await endTrial(tx, services, queue, trial, { state: "landed", reason: "" })
  }
}
