import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What imports have brought, so that a second run finds it; what they could not bring; and the people of other servers. */
export const imports = { id: 44, name: "imports", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  for (const column of ["since", "waits_until"])
    await db.schema
      .alterTable("imports")
      .addColumn(column, types.integer, (c) => c.notNull().defaultTo(0))
      .execute()
  await db.schema
    .alterTable("imports")
    .addColumn("people", types.text, (c) => c.notNull().defaultTo("{}"))
    .execute()
  // What they have brought so far has no keys, by which they could go on without doubles.
  await sql`update imports set phase = 'failed', sealed_secret = '', error = 'the server was updated meanwhile; delete the repository and import it again'
    where phase = 'records'`.execute(db)
  await table(
    "imported_items",
    { repository_id: "reference", kind: "text", source_key: "text", local_id: "integer", version: "time" },
    { repository_id: "repositories" },
    ["repository_id", "kind", "source_key"],
  )
  await table(
    "import_faults",
    { id: "id", import_id: "reference", kind: "text", source_key: "text", message: "text" },
    { import_id: "imports" },
  )
  await sql`create unique index import_faults_item on import_faults (import_id, kind, source_key)`.execute(db)
  await table("imported_people", {
    id: "id",
    host: "text",
    source_key: "text",
    login: "text",
    name: "text",
    mail: "text",
    user_id: "integer",
  })
  await index("imported_people_key", "imported_people", ["host", "source_key"], true)
  await sql`create index imported_people_mail on imported_people (mail) where mail <> ''`.execute(db)
}
