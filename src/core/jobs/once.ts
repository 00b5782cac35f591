import type { Transaction } from "../database/database.ts"
import { type Params, query } from "../database/query.ts"
import type { Seconds } from "../database/tables.ts"
import type { Static, TSchema } from "../schema.ts"
import { writePayload } from "./definition.ts"
import type { JobKind, Jobs } from "./types.ts"

const findWaiting = query("outbox.findWaiting", (db, p: Params<{ kind: string; payload: string }>) =>
  db.selectFrom("jobs").select("id").where("kind", "=", p.kind).where("payload", "=", p.payload).where("state", "=", "waiting").limit(1),
)

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
