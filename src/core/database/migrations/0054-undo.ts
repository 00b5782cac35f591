import type { Kysely } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What was deleted and can be restored, and what happened in organisations. */
export const undo = { id: 54, name: "undo", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "deletions",
    {
      id: "id",
      kind: "text",
      owner_id: "reference",
      repository_id: "owned?",
      issue_id: "integer",
      subject_id: "integer",
      number: "integer",
      name: "text",
      author_id: "integer",
      actor_id: "integer",
      commit_id: "text",
      content: "text",
      row_bytes: "integer",
      file_bytes: "integer",
      created_at: "time",
    },
    { owner_id: "users", repository_id: "repositories" },
  )
  await index("deletions_repository", "deletions", ["repository_id", "id"])
  await index("deletions_owner", "deletions", ["owner_id", "id"])
  await index("deletions_age", "deletions", ["created_at"])
  await table("kept_files", { deletion_id: "reference", uuid: "text" }, { deletion_id: "deletions" }, ["deletion_id", "uuid"])
  await index("kept_files_uuid", "kept_files", ["uuid"])

  await table(
    "audit_entries",
    {
      id: "id",
      organization_id: "reference",
      kind: "text",
      actor_id: "integer",
      actor_name: "text",
      repository_id: "integer",
      repository_name: "text",
      subject: "text",
      details: "text",
      ip: "text",
      credential: "text",
      created_at: "time",
    },
    { organization_id: "users" },
  )
  await index("audit_entries_organization", "audit_entries", ["organization_id", "id"])
  await index("audit_entries_age", "audit_entries", ["created_at"])
}
