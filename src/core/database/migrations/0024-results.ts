import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What jobs store: uploads that are under way, caches, and the keys that sign identity tokens of jobs. */
export const results = { id: 24, name: "results", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)

  await table(
    "action_uploads",
    {
      id: "id",
      repository_id: "reference",
      task_id: "reference",
      kind: "text",
      name: "text",
      version: "text",
      scope: "text",
      media_type: "text",
      parts: "text",
      expires_at: "time",
      created_at: "time",
    },
    { repository_id: "repositories", task_id: "action_tasks" },
  )
  await index("action_uploads_name", "action_uploads", ["task_id", "kind", "name", "version"], true)
  await index("action_uploads_repository", "action_uploads", ["repository_id", "kind", "name"])
  await index("action_uploads_age", "action_uploads", ["created_at"])

  await table(
    "action_upload_parts",
    { upload_id: "reference", name: "text", position: "integer", file: "text", size: "integer", sha256: "text" },
    { upload_id: "action_uploads" },
    ["upload_id", "name"],
  )
  await index("action_upload_parts_file", "action_upload_parts", ["file"], true)

  await table(
    "action_caches",
    {
      id: "id",
      repository_id: "reference",
      scope: "text",
      key: "text",
      version: "text",
      file: "text",
      size: "integer",
      sha256: "text",
      created_at: "time",
      used_at: "time",
    },
    { repository_id: "repositories" },
  )
  await index("action_caches_key", "action_caches", ["repository_id", "version", "scope", "key"], true)
  await index("action_caches_file", "action_caches", ["file"], true)
  await index("action_caches_used", "action_caches", ["used_at"])

  await table("job_identity_keys", { id: "id", sealed_key: "text", public_key: ["text", "{}"], created_at: "time" })
  await index("job_identity_keys_age", "job_identity_keys", ["created_at"])

  await db.schema
    .alterTable("action_artifacts")
    .addColumn("job_id", types.integer, (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable("action_artifacts")
    .addColumn("media_type", types.text, (column) => column.notNull().defaultTo(""))
    .execute()
  await sql`create index action_artifacts_stored on action_artifacts (repository_id) where file <> ''`.execute(db)
}
