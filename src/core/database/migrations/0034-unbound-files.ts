import { type Kysely, sql } from "kysely"

/** Files that were sent before the text that is going to name them belong to no issue and to no release yet. */
export const unboundFiles = { id: 34, name: "unbound files", up }

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index attachments_unbound on attachments (uploader_id, created_at) where issue_id is null and release_id is null`.execute(
    db,
  )
}
