import type { Transaction } from "../../core/database/database.ts"
import { type Params, query } from "../../core/database/query.ts"
import type { Seconds } from "../../core/database/tables.ts"
import { refuse } from "../../core/errors.ts"

const hold = query("tracking.holdIssue", (db, p: Params<{ id: number; now: number }>) =>
  db.updateTable("issues").set({ updated_at: p.now }).where("id", "=", p.id).returning("id"),
)

/** Like `touchIssue`, but refuses `notFound` where the issue was deleted meanwhile. */
export async function holdIssue(tx: Transaction, id: number, now: Seconds): Promise<void> {
  if ((await hold(tx, { id, now })).length === 0) throw refuse.notFound()
}
