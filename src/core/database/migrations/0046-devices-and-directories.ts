import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Codes of devices (RFC 8628), and accounts that a directory or a provider has closed. */
export const devicesAndDirectories = { id: 46, name: "devices_and_directories", up }

/** The client of git-credential-oauth, which has a mode for machines without a browser. */
const GIT_CREDENTIAL_OAUTH = "a4792ccc-144e-407e-86c9-5e7d8d9c3269"

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await db.schema
    .alterTable("oauth2_applications")
    .addColumn("allows_device", types.flag, (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`update oauth2_applications set allows_device = 1 where client_id = ${GIT_CREDENTIAL_OAUTH} and owner_id is null`.execute(db)
  await db.schema
    .alterTable("linked_accounts")
    .addColumn("closed_version", types.integer, (c) => c.notNull().defaultTo(0))
    .execute()
  await table(
    "oauth2_device_codes",
    {
      id: "id",
      application_id: "reference",
      grant_id: "owned?",
      scopes: "text",
      device_digest: "text",
      user_digest: "text",
      network: "text",
      is_denied: "flag",
      signed_in_at: "time",
      interval_seconds: "integer",
      polled_at: "time",
      created_at: "time",
      expires_at: "time",
    },
    { application_id: "oauth2_applications", grant_id: "oauth2_grants" },
  )
  await index("oauth2_device_codes_device", "oauth2_device_codes", ["device_digest"], true)
  await index("oauth2_device_codes_user", "oauth2_device_codes", ["user_digest"], true)
  await index("oauth2_device_codes_expiry", "oauth2_device_codes", ["expires_at"])
  await index("oauth2_device_codes_application", "oauth2_device_codes", ["application_id"])
  await index("oauth2_device_codes_grant", "oauth2_device_codes", ["grant_id"])
}
