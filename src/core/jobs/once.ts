import type { Transaction } from "../database/database.ts"
import { type Params, query } from "../database/query.ts"
import type { Seconds } from "../database/tables.ts"
import type { JobKind, Jobs } from "./jobs.ts"

const findWaiting = query("outbox.findWaiting", (db, p: Params<{ kind: string; payload: string }>) =>
  db.selectFrom("jobs").select("id").where("kind", "=", p.kind).where("payload", "=", p.payload).where("state", "=", "waiting").limit(1),
)

/** Stores a job unless the same one waits already. */
export async function enqueueOnce<P>(
  tx: Transaction,
  jobs: Jobs,
  job: JobKind<P>,
  payload: NoInfer<P>,
  options: { readonly runAt?: Seconds } = {},
): Promise<void> {
  if (await findWaiting.first(tx, { kind: job.kind, payload: job.write(payload) })) return
  await jobs.enqueue(tx, job, payload, options)
}
