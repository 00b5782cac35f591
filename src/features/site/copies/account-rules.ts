import type { PartRule } from "../../../core/database/portable/part.ts"

/** What belongs to an account besides its repositories, and is put into another site with it. */
export const ACCOUNT_RULES: readonly PartRule[] = [
  { table: "teams", by: ["organization_id", "users"] },
  { table: "team_units", by: ["team_id", "teams"] },
  { table: "team_members", by: ["team_id", "teams"] },
  { table: "organization_members", by: ["organization_id", "users"] },
  { table: "labels", by: ["organization_id", "users"] },
  { table: "saved_replies", by: ["user_id", "users"] },
]

/** What an archive has besides, for its owner to read: another site has no use of it before they show there that it is theirs. */
export const ONLY_TOLD: readonly PartRule[] = [
  { table: "emails", by: ["user_id", "users"] },
  { table: "public_keys", by: ["owner_id", "users"] },
  { table: "gpg_keys", by: ["owner_id", "users"] },
  { table: "gpg_key_emails", by: ["gpg_key_id", "gpg_keys"] },
]

/** The columns of an account that are told: none that lets anyone in. */
export const ACCOUNT_COLUMNS: readonly string[] = [
  "id",
  "kind",
  "name",
  "lower_name",
  "full_name",
  "description",
  "location",
  "website",
  "language",
  "theme",
  "visibility",
  "created_at",
  "updated_at",
]

/** And those of other people, whom rows lead to. */
export const PEOPLE_COLUMNS: readonly string[] = ["id", "kind", "name", "lower_name", "created_at", "updated_at"]
