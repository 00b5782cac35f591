import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Webhooks and what they delivered. */
export const webhooks = { id: 9, name: "webhooks", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "webhooks",
    {
      id: "id",
      repository_id: "owned?",
      owner_id: "owned?",
      is_system: "flag",
      type: "text",
      name: "text",
      url: "text",
      content_type: "text",
      sealed_secret: "text",
      sealed_authorization: "text",
      options: ["text", "{}"],
      events: ["text", "[]"],
      branch_filter: "text",
      is_active: "flag",
      failures: "integer",
      rests_until: "time",
      created_at: "time",
      updated_at: "time",
    },
    { repository_id: "repositories", owner_id: "users" },
  )
  await index("webhooks_repository", "webhooks", ["repository_id", "id"])
  await index("webhooks_owner", "webhooks", ["owner_id", "id"])
  await sql`create index webhooks_site on webhooks (is_system, id) where repository_id is null and owner_id is null`.execute(db)

  await table(
    "webhook_deliveries",
    {
      id: "id",
      webhook_id: "reference",
      uuid: "text",
      event: "text",
      payload: "text",
      state: ["text", "waiting"],
      attempts: "integer",
      created_at: "time",
      started_at: "time",
      attempted_at: "time",
      next_attempt_at: "time",
      request: "text",
      response: "text",
      error: "text",
    },
    { webhook_id: "webhooks" },
  )
  await index("webhook_deliveries_webhook", "webhook_deliveries", ["webhook_id", "id"])
  await sql`create index webhook_deliveries_ended on webhook_deliveries (attempted_at) where state <> 'waiting'`.execute(db)
}
