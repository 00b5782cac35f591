import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What newcomers may open, and what of theirs waits for approval. */
export const newcomers = { id: 55, name: "newcomers", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  for (const name of ["repositories", "users"]) {
    await db.schema
      .alterTable(name)
      .addColumn("newcomers", types.text, (c) => c.notNull().defaultTo(""))
      .execute()
    for (const column of ["newcomer_days", "newcomers_per_day"])
      await db.schema
        .alterTable(name)
        .addColumn(column, types.integer, (c) => c.notNull().defaultTo(-1))
        .execute()
  }
  await table(
    "held_requests",
    {
      id: "id",
      repository_id: "reference",
      author_id: "reference",
      is_pull: "flag",
      state: "text",
      title: "text",
      ends: "text",
      body: "text",
      number: "integer",
      created_at: "time",
      decided_at: "time",
      decided_by_id: "reference?",
    },
    { repository_id: "repositories", author_id: "users", decided_by_id: "users" },
  )
  await index("held_requests_repository", "held_requests", ["repository_id", "state", "id"])
  await index("held_requests_author", "held_requests", ["author_id", "state", "id"])
  await index("held_requests_decided_by", "held_requests", ["decided_by_id"])
  await index("held_requests_created", "held_requests", ["created_at"])
  await sql`create unique index held_requests_ends on held_requests (repository_id, author_id, ends) where state = 'waiting' and ends <> ''`.execute(
    db,
  )
}
