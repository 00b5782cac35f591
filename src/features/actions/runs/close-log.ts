import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { closeLogs } from "./logs.ts"

/** Closes the log of a task that was cancelled, unless its runner has done so. */
export const closeLogJob = defineJob({
  kind: "actions.closeLog",
  payload: Type.Object({ taskId: int64() }),
  run: ({ taskId }, { context: services }) =>
    services.database.write((tx) =>
      closeLogs(tx, services, [taskId], "##[error]The job was cancelled, and its runner has not said when it stopped."),
    ),
})
