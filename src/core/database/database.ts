/**
 * The database. One interface over the embedded SQLite file and a PostgreSQL server: feature code is written once against it.
 * Both behave like the stricter of the two, so that what works on one works on the other.
 */
import type { Kysely, Transaction as KyselyTransaction } from "kysely"
import type { Cluster } from "../cluster/cluster.ts"
import type { Share } from "../cluster/share.ts"
import type { Tables } from "./tables/index.ts"

export {
  ActsOutside,
  CommitUnknown,
  DatabaseFull,
  DatabaseRefused,
  DatabaseUnavailable,
  isForeignKeyViolation,
  isUniqueViolation,
  TransactionEnded,
  TransactionIdle,
} from "./failures.ts"

export type DatabaseKind = "sqlite" | "postgres"

/** The first parameter of functions that query: the reading handle, or a transaction. `T` is set only by tests with their own tables. */
export type Handle<T = Tables> = Kysely<T>

/** The first parameter of functions that write. */
export type Transaction<T = Tables> = KyselyTransaction<T>

/** One statement that was run; BEGIN and COMMIT are not reported. */
export interface ObservedStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The name of the prepared query, or undefined for other statements. */
  readonly name: string | undefined
  readonly inTransaction: boolean
}

/** The part of a Pino logger that the database uses. */
export interface DatabaseLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Distinguishes states of a database; it has no other meaning. */
export type State = number | string

export interface Database<T = Tables> {
  readonly kind: DatabaseKind

  /** Reads only: a write through it fails on both databases. It never shows what an open transaction has not committed. */
  readonly read: Handle<T>

  /**
   * Reads what may be a second old, from a replica. Undefined where there is none, and where it is not known to be as new as that: then `read` is asked. A statement that the
   * replica can't answer is asked of the primary.
   */
  recent(): Handle<T> | undefined

  /**
   * Reads the database as it is at one moment, however long that takes: what is committed meanwhile is not seen. It keeps nobody waiting, but the database keeps
   * what is replaced meanwhile: for backups, and for nothing that may take hours.
   */
  snapshot<R>(work: (read: Handle<T>) => Promise<R>): Promise<R>

  /**
   * Runs `work` in one transaction and returns its value once the transaction is committed; all or nothing.
   *
   * `work` awaits nothing but its own transaction: a transaction that is idle for `idleLimit` milliseconds is rolled back and the promise
   * rejected with {@link TransactionIdle}. After a statement has failed the transaction is rolled back, even when `work` swallows the error: the
   * promise is rejected with that error. On PostgreSQL `work` is run again, at most five times in all, after a serialisation failure or
   * a deadlock, or when this process stood still for `idleLimit`, so it must have no effect but on the database; for anything else there is
   * {@link Database.afterCommit}.
   *
   * Writers who lock the same row first say so by `line`, see {@link lineOf}: on PostgreSQL those of one process share transactions, as all do on SQLite.
   */
  write<R>(work: (tx: Transaction<T>) => Promise<R>, line?: string): Promise<R>

  /**
   * Holds one transaction open for several pieces of work that each would have had their own, see {@link inside}. Unlike that of `write`, this work may wait for other things than
   * the database, for `idleLimit` at a time; the connection that it was begun on refuses to be written by itself meanwhile, with {@link ActsOutside}. All that write on SQLite wait for it.
   *
   * With `steady`, all that it reads on PostgreSQL is of one moment, and a row that someone else has changed since then can't be changed: it is run again.
   */
  hold<R>(work: (tx: Transaction<T>) => Promise<R>, how?: { readonly steady?: boolean }): Promise<R>

  /** Runs `effect` once `tx` has committed, and never when it is rolled back. For waking workers; an effect that must not be lost needs a job. */
  afterCommit(tx: Transaction<T>, effect: () => void): void

  /** Sets the one `step` that runs at the end of every transaction, before it commits, with the same rules as its work. */
  beforeCommit(step: (tx: Transaction<T>) => Promise<void>): void

  /**
   * The current state of the database: a new value after every commit, by this process or another.
   */
  state(): State | Promise<State>

  /**
   * Calls `listener` for every statement from now on; gives the function that stops it. If the listener throws, the statement is not run
   * and fails with that error: tests use this to make statements fail.
   */
  observe(listener: (statement: ObservedStatement) => void): () => void

  /**
   * Notifies every listener of `channel`, in all processes that share the database (with SQLite: in all of this server). Given `tx`, the message is sent
   * when it commits, and not if it is rolled back. PostgreSQL limits the payload to 7,999 bytes.
   */
  notify(channel: string, payload: string, tx?: Transaction<T>): Promise<void>

  /**
   * Calls `listener` with the payload of every message on `channel`, also those that this process sends; with undefined after a lost
   * connection came back, when messages may have been missed. Gives the function that stops it.
   */
  listen(channel: string, listener: (payload: string | undefined) => void): Promise<() => Promise<void>>

  /** Waits for the transactions under way, then closes all connections. */
  close(): Promise<void>
}

/** The options of both drivers. */
export interface DriverOptions {
  readonly url: string
  readonly logger: DatabaseLogger
  readonly idleLimit: number
  readonly poolSize: number
  /** PostgreSQL is behind a pooler that gives each transaction another connection: nothing may be kept in a session. */
  readonly transactionPooling: boolean
  /** The PostgreSQL to listen at, which is no such pooler; undefined for `url`. */
  readonly listenUrl: string | undefined
  /** A replica of the PostgreSQL server, for {@link Database.recent}; undefined for none. */
  readonly replicaUrl: string | undefined
  /** Milliseconds that a call waits for a connection, for the lock of the file, or for a sign of life of the server. */
  readonly waitMs: number
  /** The other processes of this server; undefined where it is the only one. */
  readonly cluster: Cluster | undefined
  /** This process's part of the connections. */
  readonly share: Share
}
