import type { Transaction } from "../database/database.ts"
import type { Seconds } from "../database/tables/index.ts"
import type { Static, TSchema } from "../schema.ts"
import { writePayload } from "./definition.ts"
import { findWaiting } from "./store.ts"
import type { JobKind, Jobs } from "./types.ts"

/** How long jobs are put off that changes in quick succession need once, not each. Seconds. */
export const GATHERING: Seconds = 2

/** Stores a job unless the same one waits already. */
export async function enqueueOnce<S extends TSchema>(
  tx: Transaction,
  jobs: Jobs,
  job: JobKind<S>,
  payload: Static<S>,
  options: { readonly runAt?: Seconds } = {},
): Promise<void> {
  if (await findWaiting.first(tx, { kind: job.kind, payload: writePayload(job, payload) })) return
  await jobs.enqueue(tx, job, payload, options)
}
