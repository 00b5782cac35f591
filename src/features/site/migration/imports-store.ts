import type { Insertable } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { ImportPhase } from "../../../core/database/tables/mirrors.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"

export const findImport = query("mirrors.findImport", (db, p: Params<{ id: number }>) =>
  db.selectFrom("imports").selectAll().where("id", "=", p.id),
)

/** Advances an import from its current phase; changes nothing if it was advanced concurrently. */
export const advanceImport = query(
  "mirrors.advanceImport",
  (db, p: Params<{ id: number; before: string; cursor: string; progress: string; now: Seconds }>) =>
    db
      .updateTable("imports")
      .set({ phase: "records", cursor: p.cursor, progress: p.progress, waits_until: 0, updated_at: p.now })
      .where("id", "=", p.id)
      .where("cursor", "=", p.before)
      .where("phase", "in", ["git", "records"]),
)

export const recordProgress = query("mirrors.recordProgress", (db, p: Params<{ id: number; progress: string; now: Seconds }>) =>
  db.updateTable("imports").set({ progress: p.progress, updated_at: p.now }).where("id", "=", p.id).where("phase", "=", "records"),
)

/** Remembers until when the other server grants no more requests. */
export const putOff = query("mirrors.putOffImport", (db, p: Params<{ id: number; until: Seconds; now: Seconds }>) =>
  db.updateTable("imports").set({ waits_until: p.until, updated_at: p.now }).where("id", "=", p.id),
)

/** The latest import of a repository. */
export const findImportOf = query("mirrors.findImportOf", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("imports").selectAll().where("repository_id", "=", p.repositoryId).orderBy("id", "desc").limit(1),
)

/** Ends an import and deletes its secret. */
export const endImport = query("mirrors.endImport", (db, p: Params<{ id: number; phase: ImportPhase; error: string; now: Seconds }>) =>
  db
    .updateTable("imports")
    .set({ phase: p.phase, error: p.error, sealed_secret: "", updated_at: p.now })
    .where("id", "=", p.id)
    .where("phase", "in", ["git", "records"]),
)

export const insertImport = (tx: Transaction, row: Insertable<Tables["imports"]>) =>
  tx.insertInto("imports").values(row).returning("id").executeTakeFirstOrThrow()

/** Stores the secret of an import, which is sealed for its id. */
export const sealImport = (tx: Transaction, id: number, sealed: string) =>
  tx.updateTable("imports").set({ sealed_secret: sealed }).where("id", "=", id).execute()
