import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"

const hold = query("releases.hold", (db, p: Params<{ id: number }>) =>
  db
    .updateTable("releases")
    .set((eb) => ({ title: eb.ref("title") }))
    .where("id", "=", p.id),
)

/** Keeps others from changing the release until the transaction ends. Refuses `notFound` where it is gone. */
export async function holdRelease(tx: Transaction, id: number): Promise<void> {
  if ((await hold.changes(tx, { id })) === 0) throw refuse.notFound()
}
