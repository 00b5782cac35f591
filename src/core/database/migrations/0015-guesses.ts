import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Wrong passwords and codes: how many there were, who is not slowed by them, and their entries in the audit log. */
export const guesses = { id: 15, name: "guesses", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table("guesses", { kind: "text", subject: "integer", tries: "integer", wait_seconds: "integer", tried_at: "time" }, {}, [
    "kind",
    "subject",
  ])
  await index("guesses_tried", "guesses", ["tried_at"])
  await table("sign_in_addresses", { user_id: "reference", digest: "text", seen_at: "time" }, { user_id: "users" }, ["user_id", "digest"])
  await index("sign_in_addresses_seen", "sign_in_addresses", ["seen_at"])
  await db.schema
    .alterTable("deeds")
    .addColumn("account_name", types.text, (column) => column.notNull().defaultTo(""))
    .execute()
  await db.schema
    .alterTable("deeds")
    .addColumn("times", types.integer, (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable("deeds").addColumn("failure_key", types.text).execute()
  await index("deeds_failure", "deeds", ["failure_key"], true)
  // The codes of recovery mails are counted in guesses now, like all others.
  await db.schema.alterTable("account_mails").dropColumn("wrong_codes").execute()
}
