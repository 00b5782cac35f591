import { untilFewer } from "../../../core/batches.ts"
import { defineJob, type Task } from "../../../core/jobs/jobs.ts"
import { deliverJob, removeEndedDeliveries } from "./store.ts"

export const deliveries = defineJob({
  ...deliverJob,
  // The process may be killed during any of them; failures of the receiver are counted in the delivery's row.
  attempts: 1_000,
  timeoutSeconds: 60,
  run: async (attempt, { context, signal }) => (await import("./deliver.ts")).deliver(context, attempt, signal),
})

const RETENTION_SECONDS = 7 * 86_400
// Small enough not to keep other writers waiting.
const BATCH = 500

/** Removes deliveries a week after they ended. */
export const cleanUpDeliveries: Task = {
  name: "cleanup_hook_task_table",
  cron: "40 3 * * *",
  async run({ database, now }, signal) {
    const before = now() - RETENTION_SECONDS
    const removed = await untilFewer(BATCH, signal, () =>
      database.write((tx) => removeEndedDeliveries.changes(tx, { before, limit: BATCH })),
    )
    return `${removed} removed`
  },
}
