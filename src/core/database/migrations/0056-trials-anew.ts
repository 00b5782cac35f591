import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Which statuses of its commit a trial of a merge queue began with. */
export const trialsAnew = { id: 56, name: "trials-anew", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("merge_trials")
    .addColumn("statuses_before", types.integer, (c) => c.notNull().defaultTo(0))
    .execute()
}
