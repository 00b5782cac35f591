import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What administrators did. */
export const audit = { id: 11, name: "audit", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("deeds", {
    id: "id",
    administrator_id: "integer",
    administrator_name: "text",
    acting_as: "text",
    operation: "text",
    path: "text",
    status: "integer",
    ip: "text",
    created_at: "time",
  })
  await index("deeds_created", "deeds", ["created_at", "id"])
  await index("deeds_administrator", "deeds", ["administrator_id", "id"])
}
