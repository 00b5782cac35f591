import { jobKind } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/** Does what is next in a queue: builds a trial, judges its checks, or lands it. */
export const advance = jobKind({ kind: "queue.advance", payload: Type.Object({ queueId: int64() }) })

/** The time for the checks of a trial is over. */
export const trialIsDue = jobKind({ kind: "queue.trialIsDue", payload: Type.Object({ queueId: int64(), trialId: int64() }) })

/** Removes the reference of a trial that has ended. */
export const removeTrialRef = jobKind({ kind: "queue.removeTrialRef", payload: Type.Object({ trialId: int64() }) })

/** Deletes the branch of a pull request that has landed, as whoever lined it up. */
export const deleteLandedBranch = jobKind({ kind: "queue.deleteBranch", payload: Type.Object({ pullId: int64(), userId: int64() }) })

/** Something has happened to a pull request that has lined up: it leaves. */
export const leaving = jobKind({
  kind: "queue.leave",
  payload: Type.Object({ entryId: int64(), issueId: int64(), actorId: int64(), reason: Type.String() }),
})
