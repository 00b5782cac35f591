import { type Insertable, type Selectable, sql, type Updateable } from "kysely"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Seconds, Tables } from "../../../core/database/tables/index.ts"
import type { ImportsTable, MirrorsTable, PushMirrorsTable } from "../../../core/database/tables/mirrors.ts"
import type { Page } from "../../../core/operation.ts"

export type Mirror = Selectable<MirrorsTable>
export type PushMirror = Selectable<PushMirrorsTable>
export type Import = Selectable<ImportsTable>

// --- pull mirrors -----------------------------------------------------------------------------------------------------------------

export const findMirror = query("mirrors.find", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("mirrors").selectAll().where("repository_id", "=", p.repositoryId),
)

export const findDueMirrors = query("mirrors.findDue", (db, p: Params<{ now: Seconds; limit: number }>) =>
  db
    .selectFrom("mirrors")
    .innerJoin("repositories", "repositories.id", "mirrors.repository_id")
    .select(["mirrors.repository_id", "mirrors.interval"])
    .where("mirrors.next_sync_at", ">", sql.lit(0))
    .where("mirrors.next_sync_at", "<=", p.now)
    .where("repositories.is_mirror", "=", 1)
    .orderBy("mirrors.next_sync_at")
    .orderBy("mirrors.repository_id")
    .limit(p.limit),
)

export const postponeMirror = query("mirrors.postpone", (db, p: Params<{ repositoryId: number; until: Seconds }>) =>
  db.updateTable("mirrors").set({ next_sync_at: p.until }).where("repository_id", "=", p.repositoryId).where("interval", ">", 0),
)

/** Records the result of a synchronisation. `next_sync_at` stays 0 if the schedule was switched off meanwhile. */
export const recordSync = query(
  "mirrors.recordSync",
  (
    db,
    p: Params<{
      repositoryId: number
      lastSyncAt: Seconds
      updatedAt: Seconds
      nextSyncAt: Seconds
      lastError: string
      remoteHead: string
      failures: number
      lfsMissing: number
    }>,
  ) =>
    db
      .updateTable("mirrors")
      .set((eb) => ({
        last_sync_at: p.lastSyncAt,
        updated_at: p.updatedAt,
        next_sync_at: eb.case().when("interval", "=", 0).then(0).else(p.nextSyncAt).end(),
        last_error: p.lastError,
        remote_head: p.remoteHead,
        failures: p.failures,
        lfs_missing: p.lfsMissing,
      }))
      .where("repository_id", "=", p.repositoryId),
)

// --- push mirrors -----------------------------------------------------------------------------------------------------------------

export const findPushMirror = query("mirrors.findPush", (db, p: Params<{ id: number }>) =>
  db.selectFrom("push_mirrors").selectAll().where("id", "=", p.id),
)

export const findPushMirrorByName = query("mirrors.findPushByName", (db, p: Params<{ repositoryId: number; name: string }>) =>
  db.selectFrom("push_mirrors").selectAll().where("repository_id", "=", p.repositoryId).where("remote_name", "=", p.name),
)

export const findPushMirrors = query("mirrors.findPushMirrors", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("push_mirrors").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id"),
)

export const findPushMirrorsOnCommit = query("mirrors.findOnCommit", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("push_mirrors").select("id").where("repository_id", "=", p.repositoryId).where("sync_on_commit", "=", 1).orderBy("id"),
)

export const removePushMirror = query("mirrors.removePush", (db, p: Params<{ repositoryId: number; name: string }>) =>
  db.deleteFrom("push_mirrors").where("repository_id", "=", p.repositoryId).where("remote_name", "=", p.name).returning("id"),
)

export const findDuePushMirrors = query("mirrors.findDuePush", (db, p: Params<{ now: Seconds; limit: number }>) =>
  db
    .selectFrom("push_mirrors")
    .select(["id", "interval"])
    .where("next_sync_at", ">", sql.lit(0))
    .where("next_sync_at", "<=", p.now)
    .orderBy("next_sync_at")
    .orderBy("id")
    .limit(p.limit),
)

export const postponePushMirror = query("mirrors.postponePush", (db, p: Params<{ id: number; until: Seconds }>) =>
  db.updateTable("push_mirrors").set({ next_sync_at: p.until }).where("id", "=", p.id).where("interval", ">", 0),
)

export const recordPush = query(
  "mirrors.recordPush",
  (db, p: Params<{ id: number; lastSyncAt: Seconds; nextSyncAt: Seconds; lastError: string; failures: number }>) =>
    db
      .updateTable("push_mirrors")
      .set((eb) => ({
        last_sync_at: p.lastSyncAt,
        next_sync_at: eb.case().when("interval", "=", 0).then(0).else(p.nextSyncAt).end(),
        last_error: p.lastError,
        failures: p.failures,
      }))
      .where("id", "=", p.id),
)

/** A page of a repository's push mirrors, oldest first, and their total. */
export async function listPushMirrors(db: Handle, repositoryId: number, { limit, offset }: Page) {
  const all = db.selectFrom("push_mirrors").where("repository_id", "=", repositoryId)
  const rows = await all.selectAll().orderBy("id").limit(limit).offset(offset).execute()
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

// --- imports ----------------------------------------------------------------------------------------------------------------------

export const recordLfsMissing = query("mirrors.recordLfsMissing", (db, p: Params<{ repositoryId: number; missing: number }>) =>
  db.updateTable("mirrors").set({ lfs_missing: p.missing }).where("repository_id", "=", p.repositoryId),
)

export const insertMirror = (tx: Transaction, row: Insertable<Tables["mirrors"]>) => tx.insertInto("mirrors").values(row).execute()

/** Changes these columns of a mirror. */
export async function updateMirror(tx: Transaction, repositoryId: number, changes: Updateable<MirrorsTable>): Promise<void> {
  await tx.updateTable("mirrors").set(changes).where("repository_id", "=", repositoryId).execute()
}

/** Stores a push mirror and returns its id. */
export async function insertPushMirror(tx: Transaction, row: Insertable<PushMirrorsTable>): Promise<number> {
  const { id } = await tx.insertInto("push_mirrors").values(row).returning("id").executeTakeFirstOrThrow()
  return id
}

/** Stores the sealed secret of a push mirror, and returns the whole. */
export const putPushSecret = (tx: Transaction, id: number, sealed: string): Promise<PushMirror> =>
  tx.updateTable("push_mirrors").set({ sealed_secret: sealed }).where("id", "=", id).returningAll().executeTakeFirstOrThrow()
