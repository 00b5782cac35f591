import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** The state of mirrors, push mirrors, and imports of repositories from other servers. */
export const mirrors = { id: 12, name: "mirrors", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  const addText = (name: string, column: string) =>
    db.schema
      .alterTable(name)
      .addColumn(column, types.text, (c) => c.notNull().defaultTo(""))
      .execute()
  const addInteger = (name: string, column: string) =>
    db.schema
      .alterTable(name)
      .addColumn(column, types.integer, (c) => c.notNull().defaultTo(0))
      .execute()
  await addText("mirrors", "last_error")
  await addText("mirrors", "remote_head")
  await addInteger("mirrors", "failures")
  await addInteger("mirrors", "lfs")
  await addText("mirrors", "lfs_endpoint")
  await addInteger("mirrors", "lfs_missing")
  await sql`create index mirrors_due on mirrors (next_sync_at) where next_sync_at > 0`.execute(db)

  await table(
    "push_mirrors",
    {
      id: "id",
      repository_id: "reference",
      remote_name: "text",
      remote_url: "text",
      remote_username: "text",
      sealed_secret: "text",
      interval: "integer",
      sync_on_commit: "flag",
      created_at: "time",
      last_sync_at: "time",
      next_sync_at: "time",
      last_error: "text",
      failures: "integer",
    },
    { repository_id: "repositories" },
  )
  await index("push_mirrors_repository", "push_mirrors", ["repository_id", "id"])
  await index("push_mirrors_name", "push_mirrors", ["remote_name"], true)
  await sql`create index push_mirrors_due on push_mirrors (next_sync_at) where next_sync_at > 0`.execute(db)

  await table("imports", {
    id: "id",
    repository_id: "integer",
    doer_id: "integer",
    service: "text",
    remote_url: "text",
    remote_username: "text",
    sealed_secret: "text",
    lfs: "flag",
    lfs_endpoint: "text",
    parts: "text",
    phase: "text",
    cursor: "text",
    progress: "text",
    error: "text",
    created_at: "time",
    updated_at: "time",
  })
  await index("imports_repository", "imports", ["repository_id"])

  // The original author of imported texts.
  for (const written of ["issues", "comments"]) {
    await addText(written, "original_author")
    await addInteger(written, "original_author_id")
  }
}
