import { type Insertable, type SqlBool, sql, type Updateable } from "kysely"
import { visibleRepositories } from "../../../access/visibility.ts"
import type { Actor, SignedIn } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { Tables } from "../../../core/database/tables/index.ts"
import type { Seconds } from "../../../core/database/tables/types.ts"
import type { Page } from "../../../core/operation.ts"

// Written out as in the index.
const UNFINISHED_PHASE = sql<SqlBool>`phase in ('queued', 'git', 'records')`

export const findImport = query("mirrors.findImport", (db, p: Params<{ id: number }>) =>
  db.selectFrom("imports").selectAll().where("id", "=", p.id),
)

/** Advances an import from its current phase; changes nothing if it was advanced concurrently. */
export const advanceImport = query(
  "mirrors.advanceImport",
  (db, p: Params<{ id: number; before: string; cursor: string; progress: string; now: Seconds }>) =>
    db
      .updateTable("imports")
      .set({ phase: "records", cursor: p.cursor, progress: p.progress, waits_until: 0, error: "", updated_at: p.now })
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

/** The phases of an import that goes on, or will. */
export const UNFINISHED = ["queued", "git", "records"] as const

/** Ends an import that failed, and deletes its secret. */
export const failImport = query("imports.fail", (db, p: Params<{ id: number; error: string; now: Seconds }>) =>
  db
    .updateTable("imports")
    .set({ phase: "failed", error: p.error, sealed_secret: "", waits_until: 0, updated_at: p.now })
    .where("id", "=", p.id)
    .where("phase", "in", [...UNFINISHED]),
)

/** Ends an import that has brought all, and deletes its secret: the next run asks for what has changed since this one began. */
export const finishImport = query("imports.finish", (db, p: Params<{ id: number; now: Seconds }>) =>
  db
    .updateTable("imports")
    .set((eb) => ({ phase: "done", error: "", sealed_secret: "", waits_until: 0, since: eb.ref("begun_at"), updated_at: p.now }))
    .where("id", "=", p.id)
    .where("phase", "in", ["git", "records"]),
)

/** Stops an import that goes on, or waits; its secret stays, so that it can continue. */
export const stopImport = query("imports.stop", (db, p: Params<{ id: number; now: Seconds }>) =>
  db
    .updateTable("imports")
    .set({ phase: "stopped", error: "", waits_until: 0, updated_at: p.now })
    .where("id", "=", p.id)
    .where("phase", "in", [...UNFINISHED]),
)

/** What changes of an import that begins anew or goes on. */
export type Start = Pick<
  Updateable<Tables["imports"]>,
  "phase" | "cursor" | "progress" | "begun_at" | "remote_username" | "sealed_secret" | "people" | "doer_id"
>

/** Starts an import that does not go on. */
export const startImport = async (tx: Transaction, id: number, start: Start, now: Seconds): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable("imports")
    .set({ ...start, error: "", waits_until: 0, updated_at: now })
    .where("id", "=", id)
    .where("phase", "in", ["stopped", "failed", "done"])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Gives an import that waited for its turn its repository. False where it was stopped meanwhile. */
export const settleImport = query("imports.settle", (db, p: Params<{ id: number; repositoryId: number; now: Seconds }>) =>
  db
    .updateTable("imports")
    .set({ phase: "git", repository_id: p.repositoryId, updated_at: p.now })
    .where("id", "=", p.id)
    .where("phase", "=", "queued"),
)

/** The same for one whose repository is there at once, of an archive. */
export const settleArchive = query(
  "imports.settleArchive",
  (db, p: Params<{ id: number; repositoryId: number; service: string; now: Seconds }>) =>
    db
      .updateTable("imports")
      .set({ phase: "records", repository_id: p.repositoryId, service: p.service, updated_at: p.now })
      .where("id", "=", p.id)
      .where("phase", "=", "queued"),
)

/** An archive of somebody that is not brought yet: no other server has its address. */
export const findUnfinishedArchive = query("imports.findUnfinishedArchive", (db, p: Params<{ doerId: number }>) =>
  db.selectFrom("imports").select("id").where("doer_id", "=", p.doerId).where(UNFINISHED_PHASE).where("remote_url", "=", "").limit(1),
)

/** Remembers why a step did not succeed; it is tried again. */
export const noteTrouble = query("imports.noteTrouble", (db, p: Params<{ id: number; error: string }>) =>
  db
    .updateTable("imports")
    .set({ error: p.error })
    .where("id", "=", p.id)
    .where("phase", "in", [...UNFINISHED]),
)

export const putHost = (tx: Transaction, id: number, host: string) => tx.updateTable("imports").set({ host }).where("id", "=", id).execute()

/** How many imports of somebody go on or wait. */
export const countUnfinished = query("imports.countUnfinished", (db, p: Params<{ doerId: number }>) =>
  db
    .selectFrom("imports")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("doer_id", "=", p.doerId)
    .where(UNFINISHED_PHASE),
)

/** Those before this one in the queue of who asked for it that take a place: one that the other server lets wait takes none. */
export const findAhead = query("imports.findAhead", (db, p: Params<{ doerId: number; id: number; limit: number }>) =>
  db
    .selectFrom("imports")
    .select("id")
    .where("doer_id", "=", p.doerId)
    .where("id", "<", p.id)
    .where(UNFINISHED_PHASE)
    .where("waits_until", "=", 0)
    .where("error", "=", "")
    .orderBy("id")
    .limit(p.limit),
)

/** Imports by their ids, in their order, with those of their repositories that the caller may see. */
export const findImportsByIds = (db: Handle, actor: Actor, ids: readonly number[]) =>
  db
    .selectFrom("imports")
    .leftJoin("repositories", (join) => join.onRef("repositories.id", "=", "imports.repository_id").on(visibleRepositories(actor)))
    .leftJoin("users", "users.id", "repositories.owner_id")
    .selectAll("imports")
    .select(["users.name as owner_name", "repositories.name as repository_name"])
    .where(inList("imports.id", ids))
    .orderBy("imports.id")
    .execute()

/** A page of the caller's imports, newest first, with those of their repositories that they may see still, and their total. */
export async function listImports(db: Handle, actor: SignedIn, { limit, offset }: Page) {
  const all = db.selectFrom("imports").where("doer_id", "=", actor.user.id)
  const rows = await all
    .leftJoin("repositories", (join) => join.onRef("repositories.id", "=", "imports.repository_id").on(visibleRepositories(actor)))
    .leftJoin("users", "users.id", "repositories.owner_id")
    .selectAll("imports")
    .select(["users.name as owner_name", "repositories.name as repository_name"])
    .orderBy("imports.id", "desc")
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** A page of what an import could not bring, and their total. */
export async function listFaults(db: Handle, importId: number, { limit, offset }: Pick<Page, "limit" | "offset">) {
  const all = db.selectFrom("import_faults").where("import_id", "=", importId)
  const rows = await all.select(["kind", "source_key", "message"]).orderBy("id").limit(limit).offset(offset).execute()
  const { total } = await all.select(({ fn }) => fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

type Begun = "sealed_secret" | "cursor" | "begun_at" | "created_at" | "updated_at"

/** Adds an import that begins now; its secret is stored by `sealImport`. */
export const insertImport = (tx: Transaction, row: Omit<Insertable<Tables["imports"]>, Begun>, now: Seconds) =>
  tx
    .insertInto("imports")
    .values({ ...row, sealed_secret: "", cursor: "{}", begun_at: now, created_at: now, updated_at: now })
    .returning("id")
    .executeTakeFirstOrThrow()

/** Stores the secret of an import, which is sealed for its id. */
export const sealImport = (tx: Transaction, id: number, sealed: string) =>
  tx.updateTable("imports").set({ sealed_secret: sealed }).where("id", "=", id).execute()
