import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { branchOf } from "../../../git/index.ts"
import type { PushStep } from "../../code/pushes/step.ts"
import { findScheduledAround } from "../pulls/schedules-store.ts"
import { recordMerge } from "./merged.ts"
import { scheduledMerge } from "./schedule.ts"

/** Checks which open pull requests are contained in branches that have moved. */
export const detectManualMerges = jobKind({
  kind: "pulls.detectManualMerges",
  payload: Type.Object({ repositoryId: int64(), branches: Type.Array(Type.String()), pusherId: int64() }),
})

/** Marks a pull request as merged in the same transaction that records the push which merges it. */
export const completeMerge: PushStep = async ({ services, merge, changes: [change] }) => {
  const commitId = change?.newId
  return async (tx, { pusher: merger, ...written }) => {
    if (!merge || !commitId) return
    const how = merge.automatic ? "automatic" : "asked"
    await recordMerge(tx, services, { ...written, pullId: merge.pullId, commitId, merger, how, mergedAt: written.now })
  }
}

/** The most branches of one push that are checked; a push of more is an import. */
const MOST_BRANCHES = 100

/** Retries scheduled merges whose base or head has moved, and queues the detection of manual merges. */
export const retryMerges: PushStep = async ({ services: { jobs }, changes, merge }) => {
  const moved = changes.filter(({ newId }) => newId !== null).flatMap(({ ref }) => branchOf(ref) ?? [])
  const branches = moved.slice(0, MOST_BRANCHES)
  return async (tx, { repository, pusher }) => {
    if (branches.length === 0) return
    const scheduled = await findScheduledAround(tx, { repositoryId: repository.id, branches })
    for (const { id } of scheduled) if (id !== merge?.pullId) await jobs.enqueue(tx, scheduledMerge, { pullId: id })
    if (repository.autodetect_manual_merge === 0 || repository.allow_manual_merge === 0) return
    await jobs.enqueue(tx, detectManualMerges, { repositoryId: repository.id, branches, pusherId: pusher.id })
  }
}
