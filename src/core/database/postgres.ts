/** The database on a PostgreSQL server, for more than one machine or process. */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { pause } from "../../seams/pause.ts"
import { coalesce } from "./coalesce.ts"
import { abandon, createConnections, isAnswer, requirePrimary, WAITING_PER_CONNECTION } from "./connections.ts"
import type { Database, DriverOptions } from "./database.ts"
import { createEmitter } from "./emitter.ts"
import { CommitUnknown, DatabaseRefused, DatabaseUnavailable, ENDED, messageOf, postgresFailure, stateOf } from "./failures.ts"
import { held, isHeld, refuseBeside } from "./inside.ts"
import { createLines, type OpenTransaction } from "./lines.ts"
import { createChecker, createListener } from "./listener.ts"
import { createLiveness } from "./liveness.ts"
import type { MigratingConnection } from "./migrate.ts"
import { createObservers } from "./observers.ts"
import { addressesOf, type Places, placesOf } from "./places.ts"
import { isQuick } from "./query.ts"
import { createReplica } from "./replica.ts"
import { handleOver, type Outcome, sessionOf } from "./session.ts"
import { createShared } from "./shared.ts"
import { keepEffect, LONGEST_HELD_MS, runTransaction, type TransactionConnection, type TransactionRules } from "./transaction.ts"

type Last<T> = Parameters<Database<T>["beforeCommit"]>[0]

const attempts = 5
// Serialisation failure and deadlock: https://www.postgresql.org/docs/15/errcodes-appendix.html
const worthRetrying = new Set(["40001", "40P01", ENDED])
const retryPause = 20
/** A statement took longer than it may among others, see {@link createLines}. */
const CANCELLED = "57014"

const BEGIN = "begin isolation level read committed read write"
const BEGIN_STEADY = "begin isolation level repeatable read read write"
/** What is read in it is of one moment, that of its first statement. It may be idle: a backup reads no faster than it can store. */
const SNAPSHOT = "begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0; select 1"

// Of two processes that start together one migrates; the number is an arbitrary lock id of this project.
const migrationLock = 4_873_261
const STARTING = "57P03"

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
  const places = placesOf(options.url)
  const connections = createConnections(options, places, types)
  const { readers, writers, quick } = connections
  try {
    ;(await connections.take(writers)).release()
  } catch (error) {
    await Promise.all([readers, writers, quick].map((pool) => pool.end()))
    throw new DatabaseRefused(
      "unreachable",
      `The PostgreSQL server at ${addressesOf(options.url)} can't be used: ${messageOf(error)}`,
      "Check HEARTH_DATABASE_URL, that the server runs, and that this user may connect to the database.",
      error,
    )
  }

  const observers = createObservers()
  const emitter = createEmitter(logger)
  const listening = listeningPlaces(options, places)
  const listener = listening ? createListener({ logger, waitMs, places: listening }, emitter) : createChecker(emitter)
  const probe = async (timeoutMs: number): Promise<void> => connections.isPrimary(await askForLife(places, timeoutMs))
  const liveness = createLiveness({ waitMs, logger, probe })

  /** Waits for a connection of the pool. Throws {@link DatabaseUnavailable} when there is none in time. */
  async function connectionOf(pool: pg.Pool): Promise<pg.PoolClient> {
    liveness.require()
    return connections.take(pool)
  }

  async function ask(client: pg.ClientBase, query: string | pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await liveness.during(
        () => client.query(query),
        () => abandon(client),
      )
    } catch (error) {
      const cause = connections.causeOf(client, error)
      connections.failed(cause)
      throw postgresFailure(cause, isAnswer(cause))
    }
  }

  async function run<R>(client: pg.ClientBase, sql: string, parameters: readonly unknown[], name?: string): Promise<Outcome<R>> {
    const config = { text: sql, values: [...parameters] }
    const { rows, rowCount } = await ask(client, name === undefined || options.transactionPooling ? config : { ...config, name })
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

  const shared = createShared(() => connectionOf(quick), WAITING_PER_CONNECTION * options.poolSize)

  const answer = <R>(sql: string, parameters: readonly unknown[], name: string | undefined): Promise<Outcome<R>> =>
    isQuick(name) ? shared.use((client) => run<R>(client, sql, parameters, name)) : runAlone<R>(readers, sql, parameters, name)

  const read = handleOver<T>({
    kind: "postgres",
    async execute<R>(sql: string, parameters: readonly unknown[], name?: string) {
      observers.tell(sql, parameters, name, false)
      const outcome = answer<R>(sql, parameters, name)
      if (pause) await outcome.then(() => pause?.("read.done"))
      return outcome
    },
  })

  const replica =
    options.replicaUrl === undefined
      ? undefined
      : createReplica({
          url: options.replicaUrl,
          options,
          types,
          written: async () =>
            (await answer<{ readonly at: string }>("select pg_current_wal_lsn()::text as at", [], "written")).rows[0]?.at,
        })
  const recent =
    replica &&
    handleOver<T>({
      kind: "postgres",
      async execute<R>(sql: string, parameters: readonly unknown[], name?: string) {
        observers.tell(sql, parameters, name, false)
        return (await replica.answer<R>(sql, parameters, name)) ?? answer<R>(sql, parameters, name)
      },
    })

  // The server ends a transaction whose process has stopped or can't be reached, so that its locks keep no others waiting.
  const limit = `set local idle_in_transaction_session_timeout = ${options.idleLimit}`

  /** Begins a transaction on a connection of its own; `first` is its first statement. */
  async function openTransaction(first = `${BEGIN}; ${limit}`): Promise<OpenTransaction> {
    const client = await connectionOf(writers)
    let lost: Error | undefined
    // Statements keep their order, whatever the pauses of tests.
    let paused: Promise<unknown> = Promise.resolve()
    const lose = (error: unknown): void => {
      // In an unknown state: the pool must not reuse this connection.
      lost = error instanceof Error ? error : new Error(String(error))
    }
    try {
      // Awaited: without a transaction what is sent next would be stored at once.
      await ask(client, first)
    } catch (error) {
      lose(error)
      client.release(lost)
      throw error
    }
    return {
      async execute<Row>(sql: string, parameters: readonly unknown[], name: string | undefined) {
        observers.tell(sql, parameters, name, true)
        if (pause) {
          paused = paused.then(() => pause?.("transaction.statement"))
          await paused
        }
        return run<Row>(client, sql, parameters, name).catch((error: unknown) => {
          if (error instanceof DatabaseUnavailable) lose(error)
          throw error
        })
      },
      async exec(sql) {
        await ask(client, sql)
      },
      async commit() {
        // The server answers COMMIT with ROLLBACK, and no error, when a statement failed that was not awaited.
        const { command } = await ask(client, "commit").catch((error: unknown) => {
          lose(error)
          throw error instanceof DatabaseUnavailable && codeOf(error) !== ENDED ? new CommitUnknown(error.cause) : error
        })
        if (command !== "COMMIT") throw new Error("The transaction was rolled back: one of its statements failed without being awaited.")
      },
      async rollback() {
        await ask(client, "rollback").catch(lose)
      },
      release: () => client.release(lost),
    }
  }

  /** One transaction on its own connection; `first` is its first statement, and `last` is run after its work. */
  async function transact<Tables, R>(
    work: Parameters<typeof runTransaction<Tables, R>>[2],
    {
      first,
      last,
      ...rules
    }: Omit<TransactionRules, "logger"> & { readonly first?: string | undefined; readonly last?: Last<Tables> | undefined },
  ): Promise<R> {
    const transaction = await openTransaction(first)
    const connection: TransactionConnection = {
      ...transaction,
      kind: "postgres",
      begin: async () => {},
      async commit() {
        if (pause) await pause("transaction.beforeCommit")
        await transaction.commit()
      },
    }
    try {
      return await runTransaction<Tables, R>(connection, { logger, ...rules }, work, last)
    } finally {
      transaction.release()
    }
  }

  const lines = createLines({ open: () => openTransaction(), waitMs, mostWaiting: options.poolSize * WAITING_PER_CONNECTION })

  // Every change of rows has a transaction id, and the snapshot lists those that have ended: equal snapshots see the same rows.
  const state = coalesce(async () => {
    const { rows } = await runAlone<{ readonly state: string }>(readers, "select pg_current_snapshot()::text as state", [], "state")
    return rows[0]?.state ?? randomUUID()
  })

  /** Runs a transaction again where that may help. What has failed in a line is run on its own then: there it waits for nobody's rows but those that it needs. */
  async function repeated<R>(line: string | undefined, run: (line: string | undefined) => Promise<R>): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const inLine = attempt === 1 ? line : undefined
      if (pause && inLine === undefined) await pause("transaction.begin")
      try {
        return await run(inLine)
      } catch (error) {
        const code = codeOf(error)
        if (attempt === attempts || !(worthRetrying.has(code) || (inLine !== undefined && code === CANCELLED))) throw error
        logger.info({ attempt, code }, "a transaction is run again")
        await sleep(Math.random() * retryPause * 2 ** attempt)
      }
    }
  }

  let last: Last<T> | undefined
  const database: Database<T> = {
    kind: "postgres",
    read,
    recent: () => (replica?.isRecent() ? recent : undefined),
    async snapshot(work) {
      const client = await connectionOf(readers)
      let failure: unknown
      try {
        await ask(client, SNAPSHOT)
        const value = await work(
          handleOver<T>({
            kind: "postgres",
            execute: <R>(sql: string, parameters: readonly unknown[], name?: string) => run<R>(client, sql, parameters, name),
          }),
        )
        await ask(client, "commit")
        return value
      } catch (error) {
        failure = error
        throw error
      } finally {
        client.release(failure !== undefined)
      }
    },
    write(work, line) {
      if (isHeld()) return refuseBeside()
      return repeated(line, (inLine) =>
        inLine === undefined
          ? transact(work, { idleLimit: options.idleLimit, last })
          : lines.join(inLine, (connection) => runTransaction(connection, options, work, last)),
      )
    },
    hold(work, { steady = false } = {}) {
      if (isHeld()) return refuseBeside()
      const first = steady ? `${BEGIN_STEADY}; ${limit}` : undefined
      return repeated(undefined, () =>
        transact((tx) => held(() => work(tx)), { idleLimit: options.idleLimit, longest: LONGEST_HELD_MS.postgres, first, last }),
      )
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
      const ended = lines
        .idle()
        .then(() => Promise.all([listener.close(), replica?.close(), ...[readers, writers, quick].map((pool) => pool.end())]))
      await Promise.race([ended, sleep(waitMs, undefined, { ref: false })])
      liveness.close()
    },
  }

  const migrating: MigratingConnection = {
    kind: "postgres",
    read: handleOver<unknown>({
      kind: "postgres",
      execute: <R>(sql: string, parameters: readonly unknown[]) => runAlone<R>(readers, sql, parameters),
    }),
    write: (work) => transact(work, { idleLimit: undefined, first: `${BEGIN}; select pg_advisory_xact_lock(${migrationLock})` }),
    copyBefore: undefined,
    script: undefined,
  }
  return { database, migrating }
}

const codeOf = (error: unknown): string => stateOf(error instanceof DatabaseUnavailable ? error.cause : error)

/** Where to listen: a pooler of transactions forgets who listens, so that only another place will do. */
function listeningPlaces({ transactionPooling, listenUrl }: DriverOptions, places: Places): Places | undefined {
  if (listenUrl !== undefined) return placesOf(listenUrl)
  return transactionPooling ? undefined : places
}

/**
 * Gives the place of the server when it answers over a new connection, be it that it takes no more of them. Where it is a standby or is starting, or does
 * not answer, new connections go to the next place.
 */
async function askForLife(places: Places, timeoutMs: number): Promise<string> {
  const place = places.current()
  const client = new pg.Client({
    connectionString: place,
    application_name: "hearth probe",
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  client.on("error", () => {})
  try {
    await client.connect()
    await requirePrimary(client)
    return place
  } catch (error) {
    if (isAnswer(error) && stateOf(error) !== STARTING) return place
    places.leave(place)
    throw error
  } finally {
    abandon(client)
  }
}
