import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Which process holds a job or a task, so that those of one that has died are free at once. */
export const holders = { id: 38, name: "holders", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const table of ["jobs", "schedule"])
    await db.schema
      .alterTable(table)
      .addColumn("held_by", types.text, (column) => column.notNull().defaultTo(""))
      .execute()
}
