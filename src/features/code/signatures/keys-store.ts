import { type Insertable, type Selectable, type SqlBool, sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { SigningKeysTable } from "../../../core/database/tables/signing.ts"
import type { KeyKind } from "./signing-key.ts"

export type SigningKeyRow = Selectable<SigningKeysTable>

/** The site's current key of this kind, and the one that it keeps for a person. */
export const findCurrentKeys = query("signing.findCurrent", (db, p: Params<{ kind: string; ownerId: number }>) =>
  db
    .selectFrom("signing_keys")
    .selectAll()
    .where("is_current", "=", 1)
    .where((eb) => eb.or([eb.and([eb("owner_id", "is", null), sql<SqlBool>`kind = ${p.kind}`]), eb("owner_id", "=", p.ownerId)])),
)

/** The site's keys, current ones first, then the newest. */
export const findSiteKeys = query("signing.findOfSite", (db) =>
  db.selectFrom("signing_keys").selectAll().where("owner_id", "is", null).orderBy("is_current", "desc").orderBy("id", "desc"),
)

/** The keys that were ever kept for a person, the current one first, then the newest. */
export const findKeptKeysOf = query("signing.findKeptOf", (db, p: Params<{ ownerId: number }>) =>
  db.selectFrom("signing_keys").selectAll().where("owner_id", "=", p.ownerId).orderBy("is_current", "desc").orderBy("id", "desc"),
)

/** The site's keys with these ids. */
export const findSiteSigners = query("signing.findSiteSigners", (db, p: Params<{ keyIds: readonly string[] }>) =>
  db.selectFrom("signing_keys").select(["key_id", "kind", "public_key"]).where("owner_id", "is", null).where("key_id", "in", p.keyIds),
)

/** The keys with these ids that are or were kept for people, with their owners. */
export const findKeptSigners = query("signing.findKeptSigners", (db, p: Params<{ keyIds: readonly string[] }>) =>
  db
    .selectFrom("signing_keys")
    .innerJoin("users", "users.id", "signing_keys.owner_id")
    .selectAll("users")
    .select("signing_keys.key_id")
    .where("signing_keys.key_id", "in", p.keyIds),
)

/** Whether a person has registered a key of theirs, of either kind. */
export const findOneKeyOf = query("signing.findOneKeyOf", (db, p: Params<{ ownerId: number }>) =>
  db
    .selectFrom("gpg_keys")
    .select("gpg_keys.id")
    .where("gpg_keys.owner_id", "=", p.ownerId)
    .unionAll(db.selectFrom("public_keys").select("public_keys.id").where("public_keys.owner_id", "=", p.ownerId)),
)

/** Makes the current key of the site or of a person a former one; says whether there was one. */
export async function retireKey(tx: Transaction, ownerId: number | null, kind: KeyKind): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("signing_keys")
    .set({ is_current: 0, sealed_key: "" })
    .where("owner_id", ownerId === null ? "is" : "=", ownerId)
    .where("kind", "=", kind)
    .where("is_current", "=", 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Stores a key; one with this name is replaced. */
export const putKey = (tx: Transaction, row: Insertable<SigningKeysTable>): Promise<SigningKeyRow> => {
  const { created_at: _, ...changed } = row
  return tx
    .insertInto("signing_keys")
    .values(row)
    .onConflict((conflict) => conflict.column("key_id").doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Forgets a former key of the site; returns whether there was one. */
export async function deleteFormerKey(tx: Transaction, keyId: string): Promise<boolean> {
  const gone = tx.deleteFrom("signing_keys").where("owner_id", "is", null).where("is_current", "=", 0).where("key_id", "=", keyId)
  return (await gone.executeTakeFirst()).numDeletedRows > 0n
}

/** The key that the site keeps for a person at present. */
export const findKeptKey = (tx: Transaction, ownerId: number) =>
  tx.selectFrom("signing_keys").select("id").where("owner_id", "=", ownerId).where("is_current", "=", 1).executeTakeFirst()
