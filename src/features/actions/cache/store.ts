import { type Insertable, type Selectable, sql } from "kysely"
import { NOBODY_ID } from "../../../access/rules.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList, list } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"
import type { ActionCachesTable } from "../../../core/database/tables/actions.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"

export type Cache = Selectable<ActionCachesTable>

interface Search {
  readonly repositoryId: number
  readonly scopes: readonly string[]
  readonly keys: readonly string[]
  readonly version: string
  /** Those used before are about to be removed. */
  readonly oldest: number
}

export function findBestCache(db: Handle, { repositoryId, scopes, keys, version, oldest }: Search): Promise<Cache | undefined> {
  const begins = (key: string) => sql<boolean>`substr(key, 1, length(cast(${key} as text))) = ${key}`
  const rank = (conditions: readonly ReturnType<typeof begins>[]) =>
    sql<number>`case ${sql.join(
      conditions.map((condition, index) => sql`when ${condition} then ${sql.lit(index)}`),
      sql` `,
    )} else ${sql.lit(conditions.length)} end`
  const byKey = keys.flatMap((key) => [sql<boolean>`key = ${key}`, begins(key)])
  return db
    .selectFrom("action_caches")
    .selectAll()
    .where("repository_id", "=", repositoryId)
    .where("version", "=", version)
    .where(inList("scope", scopes))
    .where("used_at", ">", oldest)
    .where((eb) => eb.or(keys.map(begins)))
    .orderBy(rank(scopes.map((scope) => sql<boolean>`scope = ${scope}`)))
    .orderBy(rank(byKey))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst()
}

export const findCacheById = query("actions.findCache", (db, p: Params<{ id: number }>) =>
  db
    .selectFrom("action_caches")
    .innerJoin("repositories", "repositories.id", "action_caches.repository_id")
    .selectAll("action_caches")
    .select("repositories.storage")
    .where("action_caches.id", "=", p.id)
    .where("repositories.owner_id", "<>", NOBODY_ID),
)

export const findNamedCache = query(
  "actions.findNamedCache",
  (db, p: Params<{ repositoryId: number; version: string; scope: string; key: string }>) =>
    db
      .selectFrom("action_caches")
      .selectAll()
      .where("repository_id", "=", p.repositoryId)
      .where("version", "=", p.version)
      .where("scope", "=", p.scope)
      .where("key", "=", p.key),
)

export const findRivalUpload = query(
  "actions.findRivalUpload",
  (db, p: Params<{ repositoryId: number; taskId: number; version: string; scope: string; key: string }>) =>
    db
      .selectFrom("action_uploads")
      .innerJoin("action_tasks", "action_tasks.id", "action_uploads.task_id")
      .select("action_uploads.id")
      .where("action_uploads.repository_id", "=", p.repositoryId)
      .where("action_uploads.kind", "=", "cache")
      .where("action_uploads.name", "=", p.key)
      .where("action_uploads.version", "=", p.version)
      .where("action_uploads.scope", "=", p.scope)
      .where("action_uploads.task_id", "<>", p.taskId)
      .where("action_tasks.state", "in", ["running", "cancelling"]),
)

export const findCachesByUse = query("actions.findCachesByUse", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("action_caches")
    .select(["id", "file", "size"])
    .where("repository_id", "=", p.repositoryId)
    .orderBy("used_at", "desc")
    .orderBy("id", "desc"),
)

/** Notes that a cache was used. */
export const noteCacheUse = (tx: Transaction, id: number, now: Seconds) =>
  tx.updateTable("action_caches").set({ used_at: now }).where("id", "=", id).execute()

export const insertCache = (tx: Transaction, row: Insertable<ActionCachesTable>) =>
  tx.insertInto("action_caches").values(row).returningAll().executeTakeFirstOrThrow()

export const removeCacheRows = (tx: Transaction, ids: readonly number[]) =>
  tx.deleteFrom("action_caches").where("id", "in", list(ids)).execute()

/** The branch that a pull request is to be merged into. */
export const findBaseBranch = query("actions.findBaseBranchOfPull", (db, p: Params<{ id: number }>) =>
  db.selectFrom("pulls").select("base_branch").where("id", "=", p.id),
)

/** Caches that were not used since then, with the storage key of their repositories. */
export const findUnusedCaches = (db: Handle, before: Seconds, limit: number) =>
  db
    .selectFrom("action_caches")
    .innerJoin("repositories", "repositories.id", "action_caches.repository_id")
    .select(["action_caches.id", "action_caches.file", "repositories.storage"])
    .where("used_at", "<=", before)
    .orderBy("used_at")
    .limit(limit)
    .execute()
