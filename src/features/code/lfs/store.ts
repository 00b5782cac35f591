import type { Selectable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { LfsObjectsTable } from "../../../core/database/tables/lfs.ts"
import { recountLfsSize } from "../repositories/counters-store.ts"

export type LfsObject = Selectable<LfsObjectsTable>

/** The repository's objects with these ids. */
export const findLinked = query("lfs.findLinked", (db, p: Params<{ repositoryId: number; oids: readonly string[] }>) =>
  db
    .selectFrom("lfs_objects")
    .innerJoin("lfs_links", "lfs_links.object_id", "lfs_objects.id")
    .selectAll("lfs_objects")
    .where("lfs_links.repository_id", "=", p.repositoryId)
    .where("lfs_objects.oid", "in", p.oids),
)

/** Whether the repository has any object. */
export const findAnyLink = query("lfs.findAnyLink", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("lfs_links").select("object_id").where("repository_id", "=", p.repositoryId).limit(1),
)

/** Finds or inserts the object's row, and locks it against removal until the transaction ends. */
export const keepObject = query("lfs.keepObject", (db, p: Params<{ oid: string; size: number; file: string; now: number }>) =>
  db
    .insertInto("lfs_objects")
    .values({ oid: p.oid, size: p.size, file: p.file, created_at: p.now, linked_at: p.now })
    .onConflict((oc) => oc.column("oid").doUpdateSet((eb) => ({ linked_at: eb.ref("excluded.linked_at") })))
    .returningAll(),
)

/** Locks objects against removal until the transaction ends, and restarts their grace period. */
const touchObjects = query("lfs.touchObjects", (db, p: Params<{ ids: readonly number[]; now: number }>) =>
  db.updateTable("lfs_objects").set({ linked_at: p.now }).where("id", "in", p.ids).returning("id"),
)

export const insertLink = query("lfs.insertLink", (db, p: Params<{ repositoryId: number; objectId: number; now: number }>) =>
  db
    .insertInto("lfs_links")
    .values({ repository_id: p.repositoryId, object_id: p.objectId, created_at: p.now })
    .onConflict((oc) => oc.columns(["repository_id", "object_id"]).doNothing()),
)

/** Links existing objects to a repository, by their ids; those deleted meanwhile are skipped. */
export async function linkObjects(tx: Transaction, repositoryId: number, objectIds: readonly number[], now: number): Promise<void> {
  if (objectIds.length === 0) return
  for (const { id } of await touchObjects(tx, { ids: objectIds, now })) await insertLink.changes(tx, { repositoryId, objectId: id, now })
  await recountLfsSize(tx, repositoryId)
}

const copyLinks = query("lfs.copyLinks", (db, p: Params<{ from: number; to: number; now: number }>) =>
  db
    .insertInto("lfs_links")
    .columns(["repository_id", "object_id", "created_at"])
    .expression((eb) =>
      eb
        .selectFrom("lfs_links")
        .select((select) => [
          select.cast<number>(p.to, "bigint").as("repository_id"),
          "object_id",
          select.cast<number>(p.now, "bigint").as("created_at"),
        ])
        .where("repository_id", "=", p.from),
    ),
)

/**
 * Links every object of the source repository to a new one. The source's row must be locked by the transaction, so that it isn't deleted, and
 * with it the last link of an object, concurrently.
 */
export async function copyObjects(
  tx: Transaction,
  { from, to, now }: { readonly from: number; readonly to: number; readonly now: number },
): Promise<void> {
  if ((await copyLinks.changes(tx, { from, to, now })) > 0) await recountLfsSize(tx, to)
}

// --- unused objects ---------------------------------------------------------------------------------------------------------------

export const findLastObject = query("lfs.findLastObject", (db) =>
  db.selectFrom("lfs_objects").select((eb) => eb.fn.coalesce(eb.fn.max("id"), eb.lit(0)).as("last")),
)

/** Deletes the objects in a range of ids that no repository has and that are past their grace period. */
export const deleteUnlinked = query("lfs.deleteUnlinked", (db, p: Params<{ after: number; upTo: number; before: number }>) =>
  db
    .deleteFrom("lfs_objects")
    .where("id", ">", p.after)
    .where("id", "<=", p.upTo)
    .where("linked_at", "<", p.before)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom("lfs_links").select("lfs_links.object_id").whereRef("lfs_links.object_id", "=", "lfs_objects.id"))),
    ),
)

export const findKeptFiles = query("lfs.findKeptFiles", (db, p: Params<{ files: readonly string[] }>) =>
  db.selectFrom("lfs_objects").select("file").where("file", "in", p.files),
)

export const insertLock = query("lfs.insertLock", (db, p: Params<{ repositoryId: number; path: string; ownerId: number; now: number }>) =>
  db
    .insertInto("lfs_locks")
    .values({ repository_id: p.repositoryId, path: p.path, owner_id: p.ownerId, created_at: p.now })
    .onConflict((oc) => oc.columns(["repository_id", "path"]).doNothing()),
)

export const deleteLock = query("lfs.deleteLock", (db, p: Params<{ id: number }>) => db.deleteFrom("lfs_locks").where("id", "=", p.id))

export const locksWithOwners = (db: Handle) =>
  db.selectFrom("lfs_locks").innerJoin("users", "users.id", "lfs_locks.owner_id").selectAll("lfs_locks").select("users.name as owner_name")

export const findLockByPath = query("lfs.findLockByPath", (db, p: Params<{ repositoryId: number; path: string }>) =>
  locksWithOwners(db).where("lfs_locks.repository_id", "=", p.repositoryId).where("lfs_locks.path", "=", p.path),
)

export const findLock = query("lfs.findLock", (db, p: Params<{ repositoryId: number; id: number }>) =>
  locksWithOwners(db).where("lfs_locks.repository_id", "=", p.repositoryId).where("lfs_locks.id", "=", p.id),
)
