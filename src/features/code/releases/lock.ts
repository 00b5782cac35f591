import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"

/** Keeps others from changing the release until the transaction ends. Refuses `notFound` where it is gone. */
export async function lockRelease(tx: Transaction, id: number): Promise<void> {
  if (!(await lockRow(tx, "releases", id))) throw refuse.notFound()
}
