import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Forms that were sent just now, so that one sent twice is done once. */
export const forms = { id: 30, name: "forms", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("sent_forms", { digest: "text", led_to: "text", flash: "text", created_at: "time" }, {}, ["digest"])
  await index("sent_forms_created", "sent_forms", ["created_at"])
}
