import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { cancelRun } from "../runs/rules.ts"
import { isDone } from "../runs/status.ts"
import { findRunsOfTrial } from "../runs/store.ts"

/** Cancels the runs that test a trial of a merge queue which has ended without landing. */
export const cancelTrialRunsJob = defineJob({
  kind: "actions.cancelTrialRuns",
  payload: Type.Object({ repositoryId: int64(), ref: Type.String() }),
  run: async ({ repositoryId, ref }, { context: services }) => {
    for (const { id, state } of await findRunsOfTrial(services.database.read, { repositoryId, ref }))
      if (!isDone(state)) await services.database.write((tx) => cancelRun(tx, services, { repository: { id: repositoryId }, runId: id }))
  },
})
