import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Positions in the log of events that are told to others: the log's name, what was removed of it, and the event of each delivery of a webhook. */
export const eventPositions = { id: 49, name: "event-positions", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table } = tableMaker(db, types)
  await table("event_logs", { id: "integer", name: "text", pruned_transaction: "integer", pruned_id: "integer" }, {}, ["id"])
  for (const column of ["event_transaction", "event_id"])
    await db.schema
      .alterTable("webhook_deliveries")
      .addColumn(column, types.integer, (c) => c.notNull().defaultTo(0))
      .execute()
}
