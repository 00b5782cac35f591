import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { refuse } from "../../../core/errors.ts"

const touch = query("comments.touch", (db, p: Params<{ id: number; now: number }>) =>
  db
    .updateTable("comments")
    .set((eb) => ({ content_version: eb("content_version", "+", 1), updated_at: p.now }))
    .where("id", "=", p.id),
)

/** Makes a new version of a comment whose text stays. Refuses `notFound` where it is gone. */
export async function touchComment(tx: Transaction, id: number, now: Seconds): Promise<void> {
  if ((await touch.changes(tx, { id, now })) === 0) throw refuse.notFound()
}
