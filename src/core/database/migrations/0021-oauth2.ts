import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Sessions of browsers, applications that act for people, and codes for those who have lost their second factor. */
export const oauth2 = { id: 21, name: "oauth2", up }

/** Programs that people use with git; their names and ids are built into them. */
const BUILT_IN = [
  ["git-credential-oauth", "a4792ccc-144e-407e-86c9-5e7d8d9c3269"],
  ["Git Credential Manager", "e90ee53c-94e2-48ac-9358-a874fb9e0662"],
  ["tea", "d57cb8c4-630c-4168-8324-ec79935e18d4"],
] as const
const LOOPBACK = JSON.stringify(["http://127.0.0.1", "https://127.0.0.1"])

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "sessions",
    { id: "id", user_id: "reference", digest: "text", created_at: "time", last_used_at: "time", expires_at: "time" },
    { user_id: "users" },
  )
  await index("sessions_digest", "sessions", ["digest"], true)
  await index("sessions_user", "sessions", ["user_id"])
  await index("sessions_expiry", "sessions", ["expires_at"])

  await table(
    "oauth2_applications",
    {
      id: "id",
      owner_id: "owned?",
      name: "text",
      client_id: "text",
      secret_digest: "text",
      redirect_uris: "text",
      is_confidential: "flag",
      skips_consent: "flag",
      created_at: "time",
      updated_at: "time",
    },
    { owner_id: "users" },
  )
  await index("oauth2_applications_client", "oauth2_applications", ["client_id"], true)
  await index("oauth2_applications_owner", "oauth2_applications", ["owner_id", "id"])
  for (const [name, clientId] of BUILT_IN)
    await sql`insert into oauth2_applications (name, client_id, redirect_uris) values (${name}, ${clientId}, ${LOOPBACK})`.execute(db)

  await table(
    "oauth2_grants",
    { id: "id", application_id: "reference", user_id: "reference", scopes: "text", created_at: "time", last_used_at: "time" },
    { application_id: "oauth2_applications", user_id: "users" },
  )
  await index("oauth2_grants_user", "oauth2_grants", ["user_id", "application_id"], true)
  await index("oauth2_grants_application", "oauth2_grants", ["application_id"])

  await table(
    "oauth2_authorizations",
    {
      id: "id",
      grant_id: "reference",
      scopes: "text",
      redirect_uri: "text",
      challenge: "text",
      nonce: "text",
      signed_in_at: "time",
      code_digest: "text",
      code_expires_at: "time",
      code_used_at: "time",
      created_at: "time",
      expires_at: "time",
    },
    { grant_id: "oauth2_grants" },
  )
  await index("oauth2_authorizations_code", "oauth2_authorizations", ["code_digest"], true)
  await index("oauth2_authorizations_grant", "oauth2_authorizations", ["grant_id"])
  await index("oauth2_authorizations_expiry", "oauth2_authorizations", ["expires_at"])

  await table(
    "oauth2_tokens",
    {
      id: "id",
      authorization_id: "reference",
      kind: "text",
      digest: "text",
      scopes: "text",
      created_at: "time",
      used_at: "time",
      expires_at: "time",
    },
    { authorization_id: "oauth2_authorizations" },
  )
  await index("oauth2_tokens_digest", "oauth2_tokens", ["digest"], true)
  await index("oauth2_tokens_authorization", "oauth2_tokens", ["authorization_id"])
  await index("oauth2_tokens_expiry", "oauth2_tokens", ["expires_at"])

  await db.schema
    .alterTable("two_factors")
    .addColumn("scratch_digest", types.text, (column) => column.notNull().defaultTo(""))
    .execute()

  await table("oauth2_keys", { purpose: "text", key_id: "text", sealed_key: "text", public_key: "text", created_at: "time" }, {}, [
    "purpose",
  ])
}
