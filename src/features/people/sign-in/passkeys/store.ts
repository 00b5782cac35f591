import type { Insertable } from "kysely"
import type { Transaction } from "../../../../core/database/database.ts"
import { type Params, query } from "../../../../core/database/query.ts"
import type { Tables } from "../../../../core/database/tables/index.ts"

/** A passkey by what browsers call it, with its owner. */
export const findPasskey = query("passkeys.find", (db, p: Params<{ credentialId: string }>) =>
  db
    .selectFrom("passkeys")
    .innerJoin("users", "users.id", "passkeys.user_id")
    .selectAll("users")
    .select(["passkeys.id as passkey_id", "passkeys.public_key as passkey_public_key", "passkeys.counter as passkey_counter"])
    .where("passkeys.credential_id", "=", p.credentialId),
)

export const findPasskeysOf = query("passkeys.findOf", (db, p: Params<{ userId: number }>) =>
  db
    .selectFrom("passkeys")
    .select(["id", "name", "credential_id", "transports", "created_at", "last_used_at"])
    .where("user_id", "=", p.userId)
    .orderBy("id"),
)

/** Notes a use. Changes no row where another use has moved the counter as far: the authenticator was copied, or its answer was sent twice. */
export const notePasskeyUse = query("passkeys.noteUse", (db, p: Params<{ id: number; counter: number; now: number }>) =>
  db
    .updateTable("passkeys")
    .set({ counter: p.counter, last_used_at: p.now })
    .where("id", "=", p.id)
    .where((eb) => eb.or([eb("counter", "<", p.counter), eb.and([eb("counter", "=", 0), eb("counter", "=", p.counter)])])),
)

export const deletePasskey = query("passkeys.delete", (db, p: Params<{ userId: number; id: number }>) =>
  db.deleteFrom("passkeys").where("user_id", "=", p.userId).where("id", "=", p.id),
)

export const insertPasskey = (tx: Transaction, row: Insertable<Tables["passkeys"]>) => tx.insertInto("passkeys").values(row).execute()
