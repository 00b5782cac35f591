import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { TRANSFER_SECONDS } from "../../code/mirrors/jobs.ts"

// The attempts are for processes that end in the middle. What an import needs is loaded with the first one.
export const importJob = defineJob({
  kind: "mirrors.import",
  payload: Type.Object({ importId: int64() }),
  attempts: 20,
  timeoutSeconds: TRANSFER_SECONDS,
  run: async ({ importId }, run) => (await import("./import.ts")).runImport(run.context, importId, run),
})
