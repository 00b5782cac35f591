import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { ActionState } from "../../../core/database/tables/actions.ts"
import type { Services } from "../../../core/services.ts"
import { telling } from "./news.ts"
import { settleRun } from "./settle.ts"
import type { Job } from "./store.ts"

/** Ends jobs as they are, whatever they wait for, with what follows for the jobs that need them and for their runs, and tells of it. */
export async function endJobs(
  tx: Transaction,
  services: Services,
  jobs: readonly Pick<Job, "id" | "run_id">[],
  state: ActionState,
): Promise<void> {
  const now = services.now()
  const runIds = [...new Set(jobs.map(({ run_id }) => run_id))]
  await telling(tx, services, runIds, async () => {
    const ids = jobs.map(({ id }) => id)
    await tx.updateTable("action_jobs").set({ state, stopped_at: now }).where(inList("action_jobs.id", ids)).execute()
    for (const runId of runIds) await settleRun(tx, runId, now)
  })
}
