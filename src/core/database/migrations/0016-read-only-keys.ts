import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"

/** Keys of people that may fetch and not push. */
export const readOnlyKeys = { id: 16, name: "read_only_keys", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await db.schema
    .alterTable("public_keys")
    .addColumn("is_read_only", types.flag, (column) => column.notNull().defaultTo(0))
    .execute()
}
