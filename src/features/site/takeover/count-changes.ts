import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"

/**
 * Counts what closed pull requests have changed: those that are open are assessed when someone looks at them, as after every push to their base. It takes some
 * processes for each, which nobody has to wait for.
 */
export const countChanges = defineJob({
  kind: "takeover.countChanges",
  payload: Type.Object({ repositoryId: int64() }),
  timeoutSeconds: 3600,
  run: async ({ repositoryId }, { context, signal }) => (await import("./pull-changes.ts")).countChangesIn(context, repositoryId, signal),
})
