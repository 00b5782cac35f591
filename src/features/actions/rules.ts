import type { Transaction } from "../../core/database/database.ts"
import { refuse } from "../../core/errors.ts"
import { holdRepository } from "../repositories/counters.ts"
import { isDone } from "./status.ts"
import { findRun, removeRun } from "./store.ts"

/** Deletes a run with all that belongs to it. Refuses `notFound`, and `badRequest` while it has not ended. */
export async function deleteRun(tx: Transaction, repositoryId: number, id: number): Promise<void> {
  // Another attempt may be under way to be made.
  await holdRepository(tx, repositoryId)
  const run = await findRun.first(tx, { repositoryId, id })
  if (!run) throw refuse.notFound()
  if (!isDone(run.state)) throw refuse.badRequest("this workflow run is not done")
  await removeRun(tx, { id })
}
