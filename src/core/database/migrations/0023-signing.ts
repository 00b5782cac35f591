import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** The keys that the service signs commits with. */
export const signing = { id: 23, name: "signing", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "signing_keys",
    {
      id: "id",
      owner_id: "owned?",
      kind: "text",
      key_id: "text",
      public_key: "text",
      sealed_key: "text",
      is_current: "flag",
      created_at: "time",
    },
    { owner_id: "users" },
  )
  await index("signing_keys_key", "signing_keys", ["key_id"], true)
  await index("signing_keys_owner", "signing_keys", ["owner_id", "id"])
  await sql`create unique index signing_keys_site on signing_keys (kind) where owner_id is null and is_current = 1`.execute(db)
  await sql`create unique index signing_keys_person on signing_keys (owner_id) where owner_id is not null and is_current = 1`.execute(db)
}
