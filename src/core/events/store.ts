import { sql } from "kysely"
import type { Handle, Transaction } from "../database/database.ts"
import { type Params, query } from "../database/query.ts"
import { sessionOf } from "../database/session.ts"

export interface Position {
  readonly transaction: number
  readonly id: number
}

/** Before the first event. */
export const BEGINNING: Position = { transaction: 0, id: 0 }

export interface Row {
  readonly kind: string
  readonly actor_id: number
  readonly repository_id: number
  readonly issue_id: number
  readonly data: string
  readonly created_at: number
}

export const insertEvent = query("events.append", (db, p: Params<Row>) =>
  db
    .insertInto("events")
    .values({
      kind: p.kind,
      actor_id: p.actor_id,
      repository_id: p.repository_id,
      issue_id: p.issue_id,
      data: p.data,
      created_at: p.created_at,
    })
    .returning(["transaction_id", "id"]),
)

/** The position of the newest event that `readLog` would give by now. */
export async function endOfLog(db: Handle): Promise<Position> {
  let rows = db.selectFrom("events").select(["transaction_id", "id"]).orderBy("transaction_id", "desc").orderBy("id", "desc").limit(1)
  if (sessionOf(db).kind === "postgres")
    rows = rows.where(sql<boolean>`transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`)
  return positionOf(await rows.executeTakeFirst()) ?? BEGINNING
}

/** The rows after a position, oldest first: at most `limit`, and none that an event committed later could precede. */
export function rowsAfter(db: Handle, after: Position, limit: number) {
  const rows = db
    .selectFrom("events")
    .where(sql<boolean>`(transaction_id, id) > (${after.transaction}, ${after.id})`)
    .orderBy("transaction_id")
    .orderBy("id")
    .limit(limit)
  return sessionOf(db).kind === "postgres"
    ? rows.where(sql<boolean>`transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`)
    : rows
}

/** The newest of all events, also one that `readLog` doesn't give yet. */
export async function newestEvent(db: Handle): Promise<Position | undefined> {
  const newest = db.selectFrom("events").select(["transaction_id", "id"]).orderBy("transaction_id", "desc").orderBy("id", "desc").limit(1)
  return positionOf(await newest.executeTakeFirst())
}

const positionOf = (row: { readonly transaction_id: number; readonly id: number } | undefined): Position | undefined =>
  row && { transaction: row.transaction_id, id: row.id }

export const deleteOldEvents = query("events.prune", (db, p: Params<{ before: number; limit: number }>) =>
  db
    .deleteFrom("events")
    .where("id", "in", (eb) =>
      eb.selectFrom("events").select("events.id").where("events.created_at", "<", p.before).orderBy("events.created_at").limit(p.limit),
    )
    .returning(["transaction_id", "id"]),
)

/** Appends events, and gives their positions in the same order. */
export const insertEvents = (tx: Transaction, rows: readonly Row[]) =>
  tx.insertInto("events").values(rows).returning(["transaction_id", "id"]).execute()

export const findLog = query("events.findLog", (db) => db.selectFrom("event_logs").selectAll().where("id", "=", 1))

/** Names the log, unless it has a name. */
export const nameLog = (tx: Transaction, { name }: { readonly name: string }) =>
  tx
    .insertInto("event_logs")
    .values({ id: 1, name, pruned_transaction: 0, pruned_id: 0 })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ name }).where("event_logs.name", "=", ""))
    .execute()

/** Notes the newest position that was removed. */
export const notePruned = (tx: Transaction, { transaction, id }: Position) =>
  tx
    .insertInto("event_logs")
    .values({ id: 1, name: "", pruned_transaction: transaction, pruned_id: id })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ pruned_transaction: transaction, pruned_id: id }))
    .execute()

/** Has the log named anew. */
export const forgetLog = (tx: Transaction) => tx.deleteFrom("event_logs").execute()
