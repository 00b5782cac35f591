import { defineJob } from "../../../core/jobs/jobs.ts"
import { TRANSFER_SECONDS } from "../../code/mirrors/jobs.ts"
import { importJob, takeOverKind } from "./import-job.ts"

/** What imports do in the background; loaded when it is first needed. */

// The attempts are for processes that end in the middle.
export const importDefinition = defineJob({
  ...importJob,
  attempts: 20,
  timeoutSeconds: TRANSFER_SECONDS,
  run: async ({ importId }, run) => (await import("./import.ts")).runImport(run.context, importId, run),
})

export const takeOverJob = defineJob({
  ...takeOverKind,
  timeoutSeconds: 3600,
  run: async ({ personId }, { context, signal }) => (await import("./take-over.ts")).takeOver(context, personId, signal),
})
