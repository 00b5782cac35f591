import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** When a tracked time was recorded, which may be long after it was spent. */
export const trackedTimeUpdates = { id: 17, name: "tracked_time_updates", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("tracked_times")
    .addColumn("updated_at", types.time, (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update tracked_times set updated_at = created_at`.execute(db)
}
