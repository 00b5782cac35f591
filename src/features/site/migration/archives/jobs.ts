import { defineJob } from "../../../../core/jobs/jobs.ts"
import { TRANSFER_SECONDS } from "../../../code/mirrors/jobs.ts"
import { archiveKind } from "../import-job.ts"

/** An import of an archive that was sent; what it needs is loaded with it. */
export const archiveJob = defineJob({
  ...archiveKind,
  attempts: 20,
  timeoutSeconds: TRANSFER_SECONDS,
  run: async ({ importId, file }, { context, signal, isLast }) => {
    const { runImport } = await import("../import.ts")
    const { bringSent, forgetSent } = await import("./sent.ts")
    await runImport(context, importId, { signal, isLast, bring: (row, until) => bringSent(context, row, file, until) })
    // It has ended, in whatever way.
    await forgetSent(context, file)
  },
})
