/**
 * Locks on rows, kept until the transaction ends. SQLite has one writer at a time, so there it is only a query; PostgreSQL returns the row as it is once
 * the lock is held, and later statements see what was committed while waiting.
 */
import { type Selectable, sql } from "kysely"
import type { Transaction } from "./database.ts"
import { portable } from "./dialect.ts"
import { inList } from "./expressions.ts"
import { type PreparedQuery, query } from "./query.ts"
import type { Tables } from "./tables/index.ts"

const onPostgres = (words: string) => portable<unknown>({ sqlite: sql``, postgres: sql.raw(words) })

/** The end of a query whose rows others may not change or delete. They may still refer to them. */
export const forNoKeyUpdate = onPostgres("for no key update")
/** The end of a query whose rows are about to be deleted: others may not begin to refer to them either. */
export const forUpdate = onPostgres("for update")
/** The end of a query whose rows others may lock in the same way, but not change. */
export const forShare = onPostgres("for share")

type Lockable =
  | "users"
  | "repositories"
  | "topics"
  | "issues"
  | "milestones"
  | "projects"
  | "pulls"
  | "merge_queues"
  | "releases"
  | "action_runs"
  | "action_uploads"

interface Locks<T extends Lockable> {
  readonly one: PreparedQuery<{ id: number }, Selectable<Tables[T]>>
  readonly several: PreparedQuery<{ ids: readonly number[] }, Selectable<Tables[T]>>
}

const locksOf = <T extends Lockable>(table: T): Locks<T> => ({
  one: query<{ id: number }, Selectable<Tables[T]>>(`lock.${table}`, (db, p) => ({
    compile: () => sql<Selectable<Tables[T]>>`select * from ${sql.table(table)} where id = ${p.id} ${forNoKeyUpdate}`.compile(db),
  })),
  several: query<{ ids: readonly number[] }, Selectable<Tables[T]>>(`lock.${table}.all`, (db, p) => ({
    compile: () =>
      sql<
        Selectable<Tables[T]>
      >`select * from ${sql.table(table)} where ${inList(sql.ref<number>("id"), p.ids)} order by id ${forNoKeyUpdate}`.compile(db),
  })),
})

const locks: { readonly [T in Lockable]: Locks<T> } = {
  users: locksOf("users"),
  repositories: locksOf("repositories"),
  topics: locksOf("topics"),
  issues: locksOf("issues"),
  milestones: locksOf("milestones"),
  projects: locksOf("projects"),
  pulls: locksOf("pulls"),
  merge_queues: locksOf("merge_queues"),
  releases: locksOf("releases"),
  action_runs: locksOf("action_runs"),
  action_uploads: locksOf("action_uploads"),
}

/** Keeps others from changing or deleting a row until the transaction ends, and returns it as it is then; undefined if there is none. */
export const lockRow = <T extends Lockable>(tx: Transaction, table: T, id: number): Promise<Selectable<Tables[T]> | undefined> =>
  locks[table].one.first(tx, { id })

/**
 * The same for several rows, without those that are missing, in the order of their ids, so that two such transactions can't
 * deadlock.
 */
export const lockRows = <T extends Lockable>(tx: Transaction, table: T, ids: readonly number[]): Promise<Selectable<Tables[T]>[]> =>
  locks[table].several(tx, { ids })

/** The line of writers who lock this row first, for {@link Database.write}. */
export const lineOf = (table: Lockable, id: number): string => `${table} ${id}`
