import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** The log of domain events. */
export const events = { id: 14, name: "events", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("events", {
    id: "id",
    // Filled in by the database on PostgreSQL; SQLite has one writer, and needs no more than the id.
    transaction_id: "integer",
    kind: "text",
    actor_id: "integer",
    repository_id: "integer",
    issue_id: "integer",
    data: "text",
    created_at: "time",
  })
  if (types.kind === "postgres")
    await sql`alter table events alter column transaction_id set default pg_current_xact_id()::text::bigint`.execute(db)
  await index("events_position", "events", ["transaction_id", "id"])
  await index("events_created", "events", ["created_at"])
}
