import { type Kysely, sql } from "kysely"
import type { ColumnTypes } from "../columns.ts"
import { tableMaker } from "./table-maker.ts"

/** Keys of people and repositories. */
export const keys = { id: 8, name: "keys", up }

async function up(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { table, index } = tableMaker(db, types)
  await table(
    "public_keys",
    {
      id: "id",
      owner_id: "owned?",
      title: "text",
      fingerprint: "text",
      content: "text",
      created_at: "time",
      last_used_at: "time",
    },
    { owner_id: "users" },
  )
  await index("public_keys_fingerprint", "public_keys", ["fingerprint"], true)
  await index("public_keys_title", "public_keys", ["owner_id", "title"], true)

  await table(
    "deploy_keys",
    { id: "id", key_id: "reference", repository_id: "reference", title: "text", is_read_only: "flag", created_at: "time" },
    { key_id: "public_keys", repository_id: "repositories" },
  )
  await index("deploy_keys_key", "deploy_keys", ["key_id", "repository_id"], true)
  await index("deploy_keys_title", "deploy_keys", ["repository_id", "title"], true)

  await table(
    "gpg_keys",
    {
      id: "id",
      owner_id: "reference",
      primary_id: "owned?",
      key_id: "text",
      certificate: "text",
      packet: "text",
      signs: "flag",
      can_sign: "flag",
      can_encrypt: "flag",
      is_verified: "flag",
      created_at: "time",
      expires_at: "time",
    },
    { owner_id: "users", primary_id: "gpg_keys" },
  )
  await index("gpg_keys_owner", "gpg_keys", ["owner_id", "id"])
  await index("gpg_keys_primary", "gpg_keys", ["primary_id"])
  // A key that signs belongs to one person. Encryption subkeys prove nothing, and any user can add another's to their own key.
  await sql`create unique index gpg_keys_signer on gpg_keys (key_id) where signs = 1`.execute(db)

  await table("gpg_key_emails", { gpg_key_id: "reference", email: "text", lower_email: "text" }, { gpg_key_id: "gpg_keys" }, [
    "gpg_key_id",
    "lower_email",
  ])
}
