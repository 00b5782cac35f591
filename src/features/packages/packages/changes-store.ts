import type { Expression, SqlBool } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Stored } from "./blobs.ts"

export const insertPackage = query(
  "packages.insert",
  (
    db,
    p: Params<{
      ownerId: number
      repositoryId: number | null
      type: string
      name: string
      lowerName: string
      isRestricted: 0 | 1
      at: number
    }>,
  ) =>
    db
      .insertInto("packages")
      .values({
        owner_id: p.ownerId,
        repository_id: p.repositoryId,
        type: p.type,
        name: p.name,
        lower_name: p.lowerName,
        is_restricted: p.isRestricted,
        created_at: p.at,
      })
      .returningAll(),
)

export const insertVersion = query(
  "packages.insertVersion",
  (db, p: Params<{ packageId: number; creatorId: number | null; version: string; lowerVersion: string; metadata: string; at: number }>) =>
    db
      .insertInto("package_versions")
      .values({
        package_id: p.packageId,
        creator_id: p.creatorId,
        version: p.version,
        lower_version: p.lowerVersion,
        metadata: p.metadata,
        created_at: p.at,
      })
      .returningAll(),
)

/** Finds or inserts the row of a content, and locks it against removal until the transaction ends. */
export const keepBlob = query("packages.keepBlob", (db, p: Params<Stored & { at: number }>) =>
  db
    .insertInto("package_blobs")
    .values({
      file: p.file,
      size: p.size,
      md5: p.md5,
      sha1: p.sha1,
      sha256: p.sha256,
      sha512: p.sha512,
      created_at: p.at,
      used_at: p.at,
    })
    .onConflict((oc) => oc.column("sha256").doUpdateSet((eb) => ({ used_at: eb.ref("excluded.used_at") })))
    .returningAll(),
)

export const insertFile = query(
  "packages.insertFile",
  (db, p: Params<{ versionId: number; blobId: number; name: string; lowerName: string; at: number }>) =>
    db
      .insertInto("package_files")
      .values({ version_id: p.versionId, blob_id: p.blobId, name: p.name, lower_name: p.lowerName, created_at: p.at }),
)

/** Notes that the package or one of its versions has changed. */
export const bumpRevision = query("packages.bumpRevision", (db, p: Params<{ id: number }>) =>
  db
    .updateTable("packages")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("id", "=", p.id),
)

/** The package where the condition holds. */
export const findVisible = (tx: Transaction, id: number, condition: Expression<SqlBool>) =>
  tx.selectFrom("packages").select("id").where("id", "=", id).where(condition).executeTakeFirst()

export const setRestricted = query("packages.setRestricted", (db, p: Params<{ id: number; isRestricted: 0 | 1 }>) =>
  db.updateTable("packages").set({ is_restricted: p.isRestricted }).where("id", "=", p.id),
)

export const deletePackageRow = query("packages.delete", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("packages").where("id", "=", p.id),
)

export const deleteVersionRows = query("packages.deleteVersions", (db, p: Params<{ ids: readonly number[] }>) =>
  db.deleteFrom("package_versions").where("id", "in", p.ids),
)

export const deleteFileRow = query("packages.deleteFile", (db, p: Params<{ id: number }>) =>
  db.deleteFrom("package_files").where("id", "=", p.id),
)

export const findLinked = query("packages.findLinked", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("packages").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id"),
)

/** Those of an owner's packages with these ids that are linked to no repository. */
export const findUnlinked = (tx: Transaction, ownerId: number, ids: readonly number[]) =>
  tx
    .selectFrom("packages")
    .selectAll()
    .where(inList("packages.id", ids))
    .where("owner_id", "=", ownerId)
    .where("repository_id", "is", null)
    .orderBy("id")
    .execute()

export const setLink = query("packages.setLink", (db, p: Params<{ id: number; repositoryId: number | null; isRestricted: 0 | 1 }>) =>
  db.updateTable("packages").set({ repository_id: p.repositoryId, is_restricted: p.isRestricted }).where("id", "=", p.id),
)

export const setMetadata = query("npm.setMetadata", (db, p: Params<{ id: number; metadata: string }>) =>
  db.updateTable("package_versions").set({ metadata: p.metadata }).where("id", "=", p.id),
)

export const sumMetadata = query("npm.sumMetadata", (db, p: Params<{ packageId: number }>) =>
  db
    .selectFrom("package_versions")
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>(eb.fn<number>("length", ["metadata"])), eb.lit(0)).as("total"))
    .where("package_id", "=", p.packageId),
)
