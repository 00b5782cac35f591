import { sql } from "kysely"
import { type Params, query } from "../../../core/database/query.ts"

/** OpenPGP signing keys, with their primary keys' data and their owners. */
export const findSigners = query("signatures.findSigners", (db, p: Params<{ keyIds: readonly string[] }>) =>
  db
    .selectFrom("gpg_keys as signer")
    .innerJoin("users", "users.id", "signer.owner_id")
    .leftJoin("gpg_keys as primary_key", "primary_key.id", "signer.primary_id")
    .selectAll("users")
    .select((eb) => ["signer.key_id", eb.fn.coalesce("primary_key.certificate", "signer.certificate").as("certificate")])
    // A constant, not a parameter: the index holds only such rows.
    .where("signer.signs", "=", sql.lit(1))
    .where("signer.key_id", "in", p.keyIds),
)

/** SSH keys with these fingerprints, with their owners. */
export const findKeyOwners = query("signatures.findKeyOwners", (db, p: Params<{ fingerprints: readonly string[] }>) =>
  db
    .selectFrom("public_keys")
    .innerJoin("users", "users.id", "public_keys.owner_id")
    .selectAll("users")
    .select("public_keys.fingerprint")
    .where("public_keys.fingerprint", "in", p.fingerprints),
)

/** Which of these addresses are activated, and which of these users own them. */
export const findAddressesAmong = query(
  "signatures.findAddressesAmong",
  (db, p: Params<{ userIds: readonly number[]; addresses: readonly string[] }>) =>
    db
      .selectFrom("emails")
      .select(["user_id", "lower_email"])
      .where("is_activated", "=", 1)
      .where("user_id", "in", p.userIds)
      .where("lower_email", "in", p.addresses),
)
