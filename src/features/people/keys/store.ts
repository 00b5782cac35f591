import { type Insertable, type Selectable, sql } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { deleteFound } from "../../../core/database/deletion.ts"
import { forUpdate } from "../../../core/database/lock.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { DeployKeysTable, GpgKeysTable, PublicKeysTable } from "../../../core/database/tables/keys.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../users/store.ts"

export type PublicKeyRow = Selectable<PublicKeysTable>
export type GpgKeyRow = Selectable<GpgKeysTable>

/** A deploy key's access to a repository, with the key itself. */
export interface DeployKeyRow extends Selectable<DeployKeysTable> {
  readonly content: string
  readonly fingerprint: string
}

// --- keys of users ---------------------------------------------------------------------------------------------------------------

export const findPublicKey = query("keys.findPublicKey", (db, p: Params<{ id: number }>) =>
  db.selectFrom("public_keys").selectAll().where("id", "=", p.id),
)

export const findPublicKeyByFingerprint = query("keys.findPublicKeyByFingerprint", (db, p: Params<{ fingerprint: string }>) =>
  db.selectFrom("public_keys").selectAll().where("fingerprint", "=", p.fingerprint),
)

export const findPublicKeyByTitle = query("keys.findPublicKeyByTitle", (db, p: Params<{ ownerId: number; title: string }>) =>
  db.selectFrom("public_keys").select("id").where("owner_id", "=", p.ownerId).where("title", "=", p.title),
)

/** The lines of a user's keys, oldest first. */
export const findPublicKeyLines = query("keys.findPublicKeyLines", (db, p: Params<{ ownerId: number }>) =>
  db.selectFrom("public_keys").select("content").where("owner_id", "=", p.ownerId).orderBy("id"),
)

/** A page of a user's keys, oldest first; those with `fingerprint` if it is given. */
export async function findPublicKeysOf(
  db: Handle,
  ownerId: number,
  fingerprint: string | undefined,
  { limit, offset }: Page,
): Promise<Found<PublicKeyRow>> {
  const found = db
    .selectFrom("public_keys")
    .where("owner_id", "=", ownerId)
    .$if(fingerprint !== undefined && fingerprint !== "", (keys) => keys.where("fingerprint", "=", fingerprint ?? ""))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy("id").limit(limit).offset(offset).execute()
  return { rows, total }
}

export const touchPublicKey = query("keys.touchPublicKey", (db, p: Params<{ id: number; now: number; before: number }>) =>
  db.updateTable("public_keys").set({ last_used_at: p.now }).where("id", "=", p.id).where("last_used_at", "<=", p.before),
)

// --- deploy keys -----------------------------------------------------------------------------------------------------------------

export const findDeployKey = query("keys.findDeployKey", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("deploy_keys")
    .innerJoin("public_keys", "public_keys.id", "deploy_keys.key_id")
    .selectAll("deploy_keys")
    .select(["public_keys.content", "public_keys.fingerprint"])
    .where("deploy_keys.id", "=", p.id),
)

/** A deploy key's access to a repository; nothing where it isn't one of the repository's keys. */
export const findGrant = query("keys.findGrant", (db, p: Params<{ keyId: number; repositoryId: number }>) =>
  db.selectFrom("deploy_keys").selectAll().where("key_id", "=", p.keyId).where("repository_id", "=", p.repositoryId),
)

export const findDeployKeyByTitle = query("keys.findDeployKeyByTitle", (db, p: Params<{ repositoryId: number; title: string }>) =>
  db.selectFrom("deploy_keys").select("id").where("repository_id", "=", p.repositoryId).where("title", "=", p.title),
)

export interface DeployKeyFilter {
  readonly keyId: number | undefined
  readonly fingerprint: string | undefined
}

/** A page of a repository's keys, oldest first. */
export async function findDeployKeysOf(
  db: Handle,
  repositoryId: number,
  { keyId, fingerprint }: DeployKeyFilter,
  { limit, offset }: Page,
): Promise<Found<DeployKeyRow>> {
  const found = db
    .selectFrom("deploy_keys")
    .innerJoin("public_keys", "public_keys.id", "deploy_keys.key_id")
    .where("deploy_keys.repository_id", "=", repositoryId)
    .$if(keyId !== undefined && keyId !== 0, (keys) => keys.where("deploy_keys.key_id", "=", keyId ?? 0))
    .$if(fingerprint !== undefined && fingerprint !== "", (keys) => keys.where("public_keys.fingerprint", "=", fingerprint ?? ""))
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found
    .selectAll("deploy_keys")
    .select(["public_keys.content", "public_keys.fingerprint"])
    .orderBy("deploy_keys.id")
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

/** Deletes a key that has no owner and that no repository uses. It is locked first, so that no repository starts to use it meanwhile. */
export async function forgetUnusedKey(tx: Transaction, fingerprint: string): Promise<void> {
  const unused = await tx
    .selectFrom("public_keys")
    .select("id")
    .where("fingerprint", "=", fingerprint)
    .where("owner_id", "is", null)
    .modifyEnd(forUpdate)
    .executeTakeFirst()
  if (!unused) return
  await tx
    .deleteFrom("public_keys")
    .where("id", "=", unused.id)
    .where((eb) => eb.not(eb.exists(eb.selectFrom("deploy_keys").select("id").where("key_id", "=", unused.id))))
    .execute()
}

// --- OpenPGP keys ----------------------------------------------------------------------------------------------------------------

/** One of a user's keys or subkeys. */
export const findGpgKeyOf = query("keys.findGpgKeyOf", (db, p: Params<{ ownerId: number; id: number }>) =>
  db.selectFrom("gpg_keys").selectAll().where("id", "=", p.id).where("owner_id", "=", p.ownerId),
)

/** A user's keys and subkeys with this id; if there are several, the primary key first. */
export const findGpgKeyByKeyId = query("keys.findGpgKeyByKeyId", (db, p: Params<{ ownerId: number; keyId: string }>) =>
  db
    .selectFrom("gpg_keys")
    .selectAll()
    .where("owner_id", "=", p.ownerId)
    .where("key_id", "=", p.keyId)
    .orderBy("signs", "desc")
    .orderBy("id"),
)

/** Those of these keys that verify signatures of a user of this site. */
export const findSignersAmong = query("keys.findSignersAmong", (db, p: Params<{ keyIds: readonly string[] }>) =>
  // A constant, not a parameter: the index holds only such rows.
  db.selectFrom("gpg_keys").select("key_id").where("signs", "=", sql.lit(1)).where("key_id", "in", p.keyIds),
)

export const findSubkeys = query("keys.findSubkeys", (db, p: Params<{ primaryIds: readonly number[] }>) =>
  db.selectFrom("gpg_keys").selectAll().where("primary_id", "in", p.primaryIds).orderBy("id"),
)

/** The addresses of keys, and whether each is still an activated address of the key's owner. */
export const findGpgKeyEmails = query("keys.findGpgKeyEmails", (db, p: Params<{ gpgKeyIds: readonly number[] }>) =>
  db
    .selectFrom("gpg_key_emails")
    .innerJoin("gpg_keys", "gpg_keys.id", "gpg_key_emails.gpg_key_id")
    .leftJoin("emails", (join) =>
      join
        .onRef("emails.lower_email", "=", "gpg_key_emails.lower_email")
        .onRef("emails.user_id", "=", "gpg_keys.owner_id")
        .on("emails.is_activated", "=", 1),
    )
    .select(["gpg_key_emails.gpg_key_id", "gpg_key_emails.email", "emails.id as address_id"])
    .where("gpg_key_emails.gpg_key_id", "in", p.gpgKeyIds)
    .orderBy("gpg_key_emails.lower_email"),
)

/** The certificates of a user's primary keys, oldest first. */
export const findCertificates = query("keys.findCertificates", (db, p: Params<{ ownerId: number }>) =>
  db.selectFrom("gpg_keys").select("certificate").where("owner_id", "=", p.ownerId).where("primary_id", "is", null).orderBy("id"),
)

/** A page of a user's primary keys, oldest first. */
export async function findGpgKeysOf(db: Handle, ownerId: number, { limit, offset }: Page): Promise<Found<GpgKeyRow>> {
  const found = db.selectFrom("gpg_keys").where("owner_id", "=", ownerId).where("primary_id", "is", null)
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy("id").limit(limit).offset(offset).execute()
  return { rows, total }
}

export const insertGpgKey = (tx: Transaction, row: Insertable<GpgKeysTable>) =>
  tx.insertInto("gpg_keys").values(row).returningAll().executeTakeFirstOrThrow()

export const insertGpgKeyEmail = (tx: Transaction, { gpgKeyId, email }: { readonly gpgKeyId: number; readonly email: string }) =>
  tx.insertInto("gpg_key_emails").values({ gpg_key_id: gpgKeyId, email, lower_email: email.toLowerCase() }).execute()

/** Marks a key and its subkeys as verified; gives those that were not before. */
export const verifyKeys = (tx: Transaction, primaryId: number) =>
  tx
    .updateTable("gpg_keys")
    .set({ is_verified: 1 })
    .where((eb) => eb.or([eb("id", "=", primaryId), eb("primary_id", "=", primaryId)]))
    .where("is_verified", "=", 0)
    .returning("id")
    .execute()

export const deleteGpgKey = (tx: Transaction, id: number) => tx.deleteFrom("gpg_keys").where("id", "=", id).returning("id").execute()

export const insertPublicKey = (tx: Transaction, row: Insertable<PublicKeysTable>) =>
  tx.insertInto("public_keys").values(row).returningAll().executeTakeFirstOrThrow()

/** Refuses `notFound` where there is none. */
export const deletePublicKey = (tx: Transaction, id: number) => deleteFound(tx.deleteFrom("public_keys").where("id", "=", id))

/** The key of a repository with this text, which is stored if it is new; an account's key where it is one's. Locked, so that no other transaction deletes it as unused. */
export const putSharedKey = (tx: Transaction, key: Pick<PublicKeyRow, "fingerprint" | "content" | "created_at">): Promise<PublicKeyRow> =>
  tx
    .insertInto("public_keys")
    .values({ owner_id: null, title: "", ...key })
    .onConflict((conflict) => conflict.column("fingerprint").doUpdateSet((eb) => ({ fingerprint: eb.ref("excluded.fingerprint") })))
    .returningAll()
    .executeTakeFirstOrThrow()
