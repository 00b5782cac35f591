import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** What people sign in with: sessions that they can tell apart, passkeys, recovery codes, accounts elsewhere, invitations. */
export const signIn = { id: 28, name: "sign_in", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  // Their digests are keyed from now on: people sign in once more.
  await db.schema.dropTable("sessions").execute()
  await table(
    "sessions",
    {
      id: "id",
      user_id: "reference",
      digest: "text",
      method: "text",
      network: "text",
      agent: "text",
      is_remembered: "flag",
      created_at: "time",
      confirmed_at: "time",
      last_used_at: "time",
      expires_at: "time",
    },
    { user_id: "users" },
  )
  await index("sessions_digest", "sessions", ["digest"], true)
  await index("sessions_user", "sessions", ["user_id"])
  await index("sessions_expiry", "sessions", ["expires_at"])

  await table("recovery_codes", { user_id: "reference", digest: "text" }, { user_id: "users" }, ["user_id", "digest"])
  await sql`insert into recovery_codes (user_id, digest) select user_id, scratch_digest from two_factors where scratch_digest <> ''`.execute(
    db,
  )
  await db.schema.alterTable("two_factors").dropColumn("scratch_digest").execute()

  await table(
    "passkeys",
    {
      id: "id",
      user_id: "reference",
      name: "text",
      credential_id: "text",
      public_key: "text",
      counter: "integer",
      transports: "text",
      created_at: "time",
      last_used_at: "time",
    },
    { user_id: "users" },
  )
  await index("passkeys_credential", "passkeys", ["credential_id"], true)
  await index("passkeys_user", "passkeys", ["user_id"])

  await table(
    "linked_accounts",
    { id: "id", user_id: "reference", provider: "text", subject: "text", label: "text", created_at: "time", last_used_at: "time" },
    { user_id: "users" },
  )
  await index("linked_accounts_subject", "linked_accounts", ["provider", "subject"], true)
  await index("linked_accounts_user", "linked_accounts", ["user_id"])

  await table(
    "invitations",
    { id: "id", lower_email: "text", invited_by: "reference?", created_at: "time", sent_at: "time", expires_at: "time" },
    { invited_by: "users" },
  )
  await index("invitations_email", "invitations", ["lower_email"], true)
  await index("invitations_expiry", "invitations", ["expires_at"])
  // Of people who invite someone.
  await index("invitations_inviter", "invitations", ["invited_by"])

  await table("used_tickets", { id: "text", expires_at: "time" }, {}, ["id"])
  await index("used_tickets_expiry", "used_tickets", ["expires_at"])
}
