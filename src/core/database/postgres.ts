/** The database on a PostgreSQL server, for more than one machine or process. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { pause } from "../../seams/pause.ts"
import { coalesce } from "./coalesce.ts"
import type { Database, DriverOptions } from "./database.ts"
import { createEmitter } from "./emitter.ts"
import { CommitUnknown, DatabaseRefused, DatabaseUnavailable, messageOf, postgresFailure } from "./failures.ts"
import { createListener } from "./listener.ts"
import { createLiveness } from "./liveness.ts"
import type { MigratingConnection } from "./migrate.ts"
import { createObservers } from "./observers.ts"
import { handleOver, type Outcome, sessionOf } from "./session.ts"
import { keepEffect, runTransaction, type TransactionConnection } from "./transaction.ts"

type Last<T> = Parameters<Database<T>["beforeCommit"]>[0]

const attempts = 5
// Serialisation failure and deadlock: https://www.postgresql.org/docs/15/errcodes-appendix.html
const worthRetrying = new Set(["40001", "40P01"])
const retryPause = 20

// Of two processes that start together one migrates; the number is an arbitrary lock id of this project.
const migrationLock = 4_873_261

/**
 * The server ends a transaction whose client has stopped or can't be reached, so that its locks keep no other process waiting. A client that works ends it
 * by itself before: within twice its own limit.
 */
const IDLE_LIMIT = "idle_in_transaction_session_timeout"
const IDLE_LIMITS = 2

/** Calls that may wait for each connection of a pool; further ones are refused. */
const WAITING_PER_CONNECTION = 50
/** With one, a process would wait for each long statement. */
const FEWEST_CONNECTIONS = 2

const { builtins } = pg.types

/** Integers, sums and truth values come as numbers, as SQLite gives them. A whole number past 2^53 − 1 is refused rather than rounded. */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (format !== "binary") {
      if (oid === builtins.INT8) return toInteger
      if (oid === builtins.NUMERIC) return Number
      if (oid === builtins.BOOL) return (text: string) => (text === "t" ? 1 : 0)
    }
    return format === "binary" ? pg.types.getTypeParser(oid, "binary") : pg.types.getTypeParser(oid, "text")
  },
}

function toInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which is too large for a number.`)
  return value
}

/** Connects to the server. Throws {@link DatabaseRefused} when it can't be reached or refuses the connection. */
export async function openPostgres<T>(options: DriverOptions): Promise<{ database: Database<T>; migrating: MigratingConnection }> {
  const { logger, waitMs } = options
  const pool = (settings: string) => {
    const made = new pg.Pool({
      connectionString: options.url,
      max: options.poolSize,
      types,
      application_name: "hearth",
      options: settings,
      // For a free connection as well as for a new one.
      connectionTimeoutMillis: waitMs,
      keepAlive: true,
      // A pool must not keep a process alive.
      allowExitOnIdle: true,
    })
    // A connection that is lost while in use rejects its statement; without a listener the event would end the process.
    made.on("connect", (client) => client.on("error", () => {}))
    made.on("error", (error) => logger.warn({ err: error }, "an idle database connection was lost"))
    return made
  }
  const readers = pool("-c default_transaction_read_only=on")
  const writers = pool(
    `-c default_transaction_read_only=off -c default_transaction_isolation=read\\ committed -c ${IDLE_LIMIT}=${IDLE_LIMITS * options.idleLimit}`,
  )
  try {
    await writers.query("select 1")
  } catch (error) {
    await Promise.all([readers.end(), writers.end()])
    throw new DatabaseRefused(
      "unreachable",
      `The PostgreSQL server at ${placeOf(options.url)} can't be used: ${messageOf(error)}`,
      "Check HEARTH_DATABASE_URL, that the server runs, and that this user may connect to the database.",
      error,
    )
  }

  const observers = createObservers()
  const emitter = createEmitter(logger)
  const listener = createListener(options, emitter)
  const liveness = createLiveness({ waitMs, logger, probe: (timeoutMs) => askForLife(options.url, timeoutMs) })

  /** Waits for a connection of the pool. Throws {@link DatabaseUnavailable} when there is none in time. */
  async function connectionOf(pool: pg.Pool): Promise<pg.PoolClient> {
    liveness.require()
    pool.options.max = Math.min(options.poolSize, Math.max(FEWEST_CONNECTIONS, options.share(options.poolSize)))
    if (pool.waitingCount >= pool.options.max * WAITING_PER_CONNECTION)
      throw new DatabaseUnavailable(undefined, "Too many calls wait for a connection to the database")
    return pool.connect().catch((error: unknown) => {
      throw postgresFailure(error, isAnswer(error))
    })
  }

  async function ask(client: pg.ClientBase, query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await liveness.during(
        () => client.query(query),
        () => abandon(client),
      )
    } catch (error) {
      throw postgresFailure(error, isAnswer(error))
    }
  }

  async function run<R>(client: pg.ClientBase, sql: string, parameters: readonly unknown[], name?: string): Promise<Outcome<R>> {
    const config = { text: sql, values: [...parameters] }
    const { rows, rowCount } = await ask(client, name === undefined ? config : { ...config, name })
    return { rows, changes: rowCount ?? 0 }
  }

  /** Runs one statement on its own, on any connection of the pool. */
  async function runAlone<R>(pool: pg.Pool, sql: string, parameters: readonly unknown[], name?: string): Promise<Outcome<R>> {
    const client = await connectionOf(pool)
    let failure: unknown
    try {
      return await run<R>(client, sql, parameters, name)
    } catch (error) {
      failure = error
      throw error
    } finally {
      client.release(failure instanceof DatabaseUnavailable)
    }
  }

  const read = handleOver<T>({
    kind: "postgres",
    async execute<R>(sql: string, parameters: readonly unknown[], name?: string) {
      observers.tell(sql, parameters, name, false)
      const outcome = runAlone<R>(readers, sql, parameters, name)
      if (pause) await outcome.then(() => pause?.("read.done"))
      return outcome
    },
  })

  /** One transaction on its own connection; `first` is its first statement, and `last` is run after its work. */
  async function transact<Tables, R>(
    work: Parameters<typeof runTransaction<Tables, R>>[2],
    { idleLimit, first, last }: { readonly idleLimit: number | undefined; readonly first?: string; readonly last?: Last<Tables> },
  ): Promise<R> {
    const client = await connectionOf(writers)
    let lost: Error | undefined
    // One connection takes one statement at a time; work may start several at once, and may end without awaiting one.
    let latest: Promise<unknown> = Promise.resolve()
    const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
      const result = latest.then(task)
      latest = result.catch(() => {})
      return result
    }
    const connection: TransactionConnection = {
      kind: "postgres",
      async begin() {
        try {
          await ask(client, "begin")
          if (first !== undefined) await ask(client, first)
        } catch (error) {
          // In an unknown state: the pool must not reuse this connection.
          lost = error instanceof Error ? error : new Error(String(error))
          throw error
        }
      },
      async execute<Row>(sql: string, parameters: readonly unknown[], name: string | undefined) {
        observers.tell(sql, parameters, name, true)
        if (pause) await pause("transaction.statement")
        return inTurn(() => run<Row>(client, sql, parameters, name))
      },
      async commit() {
        // The server answers COMMIT with ROLLBACK, and no error, when a statement failed that was not awaited.
        if (pause) await pause("transaction.beforeCommit")
        const { command } = await inTurn(() => {
          liveness.require()
          return ask(client, "commit").catch((error: unknown) => {
            throw error instanceof DatabaseUnavailable ? new CommitUnknown(error.cause) : error
          })
        })
        if (command !== "COMMIT") throw new Error("The transaction was rolled back: one of its statements failed without being awaited.")
      },
      async rollback() {
        await inTurn(() => ask(client, "rollback")).catch((error: unknown) => {
          lost = error instanceof Error ? error : new Error(String(error))
        })
      },
    }
    try {
      return await runTransaction<Tables, R>(connection, { logger, idleLimit }, work, last)
    } finally {
      client.release(lost)
    }
  }

  // Every change of rows has a transaction id, and the snapshot lists those that have ended: equal snapshots see the same rows.
  const state = coalesce(async () => {
    const { rows } = await runAlone<{ readonly state: string }>(readers, "select pg_current_snapshot()::text as state", [], "state")
    return rows[0]?.state ?? randomUUID()
  })

  let last: Last<T> | undefined
  const database: Database<T> = {
    kind: "postgres",
    read,
    async write(work) {
      for (let attempt = 1; ; attempt++) {
        if (pause) await pause("transaction.begin")
        try {
          return await transact(work, { idleLimit: options.idleLimit, ...(last && { last }) })
        } catch (error) {
          if (attempt === attempts || !(error instanceof pg.DatabaseError) || !worthRetrying.has(error.code ?? "")) throw error
          logger.info({ attempt, code: error.code }, "a transaction is run again")
          await sleep(Math.random() * retryPause * 2 ** attempt)
        }
      }
    },
    afterCommit: keepEffect,
    beforeCommit(step) {
      last = step
    },
    state,
    observe: observers.add,
    async notify(channel, payload, tx) {
      if (tx === undefined) await runAlone(writers, "select pg_notify($1, $2)", [channel, payload])
      else await sessionOf(tx).execute("select pg_notify($1, $2)", [channel, payload])
    },
    listen: (channel, fn) => listener.add(channel, fn),
    async close() {
      // A server that does not answer must not keep this one from stopping.
      await Promise.race([Promise.all([listener.close(), readers.end(), writers.end()]), sleep(waitMs, undefined, { ref: false })])
      liveness.close()
    },
  }

  const migrating: MigratingConnection = {
    kind: "postgres",
    read: handleOver<unknown>({
      kind: "postgres",
      execute: <R>(sql: string, parameters: readonly unknown[]) => runAlone<R>(readers, sql, parameters),
    }),
    write: (work) =>
      transact(work, {
        idleLimit: undefined,
        first: `select pg_advisory_xact_lock(${migrationLock}), set_config('${IDLE_LIMIT}', '0', true)`,
      }),
    copyBefore: undefined,
    script: undefined,
  }
  return { database, migrating }
}

/** Whether the server itself has sent this error; any other says that it could not be asked. */
const isAnswer = (error: unknown): boolean => error instanceof pg.DatabaseError

/** Ends a connection, whose statement then fails. */
function abandon(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.end().catch(() => {})
}

/** Resolves when the server answers over a new connection, be it that it takes no more of them. */
async function askForLife(url: string, timeoutMs: number): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "hearth probe",
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  client.on("error", () => {})
  try {
    await client.connect()
    await client.query("select 1")
  } catch (error) {
    if (!isAnswer(error)) throw error
  } finally {
    abandon(client)
  }
}

/** The server's address, without the password that may be in the URL. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return "(an address that can't be read)"
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
