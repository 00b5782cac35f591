/**
 * The embedded database over `node:sqlite`.
 *
 * The driver is synchronous: a statement runs from start to end within one call, so two can never overlap in this process and a second
 * reading connection would never be used. Reading and writing are still separate: the writer's open transaction is invisible
 * to the reader (WAL), and the reader can't write.
 */
import { closeSync, mkdirSync, openSync } from "node:fs"
import { dirname, isAbsolute } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { LRUCache } from "lru-cache"
import { type Pause, pause } from "../../seams/pause.ts"
import type { Database, DriverOptions } from "./database.ts"
import { createEmitter } from "./emitter.ts"
import { holdsWords } from "./expressions.ts"
import { DatabaseRefused, DatabaseUnavailable, resultCode, sqliteFailure } from "./failures.ts"
import { createGroups } from "./groups.ts"
import { held, isHeld, refuseBeside } from "./inside.ts"
import type { MigratingConnection } from "./migrate.ts"
import { createObservers } from "./observers.ts"
import { isByIds, isQuick } from "./query.ts"
import { createQueue } from "./queue.ts"
import { createRecentRows } from "./recent-rows.ts"
import { handleOver, type Outcome } from "./session.ts"
import { copyDatabase } from "./sqlite-copy.ts"
import { keepEffect, LONGEST_HELD_MS, runTransaction, type TransactionConnection } from "./transaction.ts"

// SQLite's own busy timeout blocks the event loop, so the writer mostly waits by retrying.
const writerTimeout = 20
const askAgain = 10
const readerTimeout = 5_000
const statementsKept = 1_000
const SQLITE_BUSY = 5
const SQLITE_READONLY = 8
const SQLITE_NOTADB = 26

/** Where a process that has changed the tables says so. */
export const SCHEMA_CHANNEL = "hearth_schema"

type Row = Readonly<Record<string, unknown>>

interface Prepared {
  readonly statement: StatementSync
  /** How many columns its rows have; none for a statement that returns no rows. */
  readonly columns: number
  readonly toRow: (values: unknown) => Row
}

interface Connection {
  /** Forgets which columns statements have: another process has changed the tables. */
  forgetColumns(): void
  run(sql: string, parameters: readonly unknown[]): Outcome<Row>
  exec(sql: string): void
  close(): void
}

/** Opens the database in a file or in memory. Throws {@link DatabaseRefused} when there is no usable one. */
export function openSqlite<T>(options: DriverOptions): { database: Database<T>; migrating: MigratingConnection } {
  const path = options.url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "")
  const inMemory = path === ":memory:"
  if (!inMemory && !isAbsolute(path)) {
    throw new DatabaseRefused(
      "unreachable",
      `The path of the SQLite file, ${path}, is not absolute.`,
      "Write it from the root: sqlite:/var/lib/hearth/hearth.db",
    )
  }
  const writer = openWriter(path, inMemory)
  const reader = inMemory ? openMemoryReader(writer) : openConnection(openFile(path, readerTimeout), ["pragma query_only = on"])
  const observers = createObservers()
  const emitter = createEmitter(options.logger)
  const { cluster } = options
  cluster?.onTold(emitter.send)
  emitter.add(SCHEMA_CHANNEL, () => {
    for (const connection of [reader, writer]) connection.forgetColumns()
  })
  const queue = createQueue()
  let transaction: PromiseWithResolvers<void> | undefined
  let closed = false
  let commits = 0
  /** Why SQLite ended the last transaction by itself, which the others of its group must learn too. */
  let endedBy: unknown

  const recent = createRecentRows()
  /** Known until the end of what runs now. */
  let stateNow: number | undefined

  /** The reader sees every commit of other connections, the writer's among them. */
  function state(): number {
    if (stateNow === undefined) {
      stateNow = Number(reader.run("pragma data_version", []).rows[0]?.["data_version"])
      process.nextTick(() => {
        stateNow = undefined
      })
    }
    return stateNow
  }

  const read = handleOver<T>({
    kind: "sqlite",
    execute<R>(sql: string, parameters: readonly unknown[], name?: string) {
      const execute = () =>
        answer<R>(() => {
          observers.tell(sql, parameters, name, false)
          if (name !== undefined && !inMemory && isQuick(name))
            return recent.of(state(), name, parameters, (given) => reader.run(sql, given))
          if (name !== undefined && !inMemory && isByIds(name))
            return recent.byIds(state(), name, parameters, (given) => reader.run(sql, given))
          return reader.run(sql, parameters)
        }, readFailure)
      // In memory there is one connection, which would show uncommitted changes.
      const answered = inMemory && transaction !== undefined && !isHeld() ? settled(execute) : execute()
      return pause ? pausedAfter(answered, pause) : answered
    },
  })

  async function pausedAfter<R>(answered: Promise<R>, pause: Pause): Promise<R> {
    const answer = await answered
    await pause("read.done")
    return answer
  }

  async function settled<R>(execute: () => Promise<R>): Promise<R> {
    while (transaction !== undefined) await transaction.promise
    return execute()
  }

  const execute: TransactionConnection["execute"] = <R>(sql: string, parameters: readonly unknown[], name: string | undefined) =>
    answer<R>(
      () => {
        observers.tell(sql, parameters, name, true)
        return writer.run(sql, parameters)
      },
      (error) => {
        const failure = sqliteFailure(error)
        if (!writer.inTransaction()) endedBy = failure
        return failure
      },
    )

  /** Waits until no other of this process writes, and none of the server's other processes; the result lets the next one. */
  async function enter(): Promise<() => Promise<void>> {
    const leave = await queue.enter()
    try {
      const giveBack = await cluster?.turns.take(options.waitMs)
      return async () => {
        if (giveBack) await giveBack()
        leave()
      }
    } catch (error) {
      leave()
      throw new DatabaseUnavailable(error)
    }
  }

  async function begin(): Promise<void> {
    await beginImmediate(writer, options.waitMs)
    endedBy = undefined
    transaction = Promise.withResolvers()
  }

  function endTransaction(): void {
    transaction?.resolve()
    transaction = undefined
  }

  function commit(): void {
    try {
      writer.exec("commit")
    } catch (error) {
      throw sqliteFailure(error)
    }
    commits++
    stateNow = undefined
    endTransaction()
  }

  function rollback(): void {
    // SQLite rolls some failures back by itself (a full disk), and then there is nothing left to roll back.
    if (writer.inTransaction()) writer.exec("rollback")
    endTransaction()
  }

  /** A transaction of its own. */
  const alone: TransactionConnection = { kind: "sqlite", begin, execute, commit: async () => commit(), rollback: async () => rollback() }

  const groups = createGroups({
    begin: async () => {
      const leave = await enter()
      try {
        if (closed) throw databaseClosed()
        await begin()
        return leave
      } catch (error) {
        await leave()
        throw error
      }
    },
    isOpen: writer.inTransaction,
    endedBy: () => endedBy ?? new DatabaseUnavailable(undefined, "The database ended the transaction by itself; nothing of it was stored"),
    exec: writer.exec,
    commit,
    rollback,
    execute,
  })

  async function exclusively<R>(work: () => Promise<R>): Promise<R> {
    if (closed) throw databaseClosed()
    const leave = await enter()
    try {
      return await work()
    } finally {
      await leave()
    }
  }

  const join: typeof groups.join = (work) => (closed ? Promise.reject(new Error("The database is closed.")) : groups.join(work))

  let last: Parameters<Database<T>["beforeCommit"]>[0] | undefined
  const database: Database<T> = {
    kind: "sqlite",
    read,
    recent: () => undefined,
    async snapshot(work) {
      // In memory there is one connection, and nobody writes meanwhile.
      if (inMemory) return exclusively(() => work(read))
      const connection = openConnection(openFile(path, readerTimeout), ["pragma query_only = on"])
      try {
        // The moment is that of the first read.
        connection.exec("begin; select 1 from sqlite_schema limit 1")
        return await work(
          handleOver<T>({
            kind: "sqlite",
            execute: <R>(sql: string, parameters: readonly unknown[]) => answer<R>(() => connection.run(sql, parameters), readFailure),
          }),
        )
      } finally {
        connection.close()
      }
    },
    write: (work) => (isHeld() ? refuseBeside() : join((connection) => runTransaction(connection, options, work, last))),
    hold: (work) =>
      isHeld()
        ? refuseBeside()
        : join((connection) =>
            runTransaction(connection, { ...options, longest: LONGEST_HELD_MS.sqlite }, (tx) => held(() => work(tx)), last),
          ),
    afterCommit: keepEffect,
    beforeCommit(step) {
      last = step
    },
    // In memory there is no other connection.
    state() {
      if (inMemory) return commits
      try {
        return state()
      } catch (error) {
        throw readFailure(error)
      }
    },
    observe: observers.add,
    async notify(channel, payload, tx) {
      const send = () => {
        emitter.send(channel, payload)
        cluster?.tell(channel, payload)
      }
      if (tx === undefined) send()
      else keepEffect(tx, send)
    },
    async listen(channel, listener) {
      const stop = emitter.add(channel, listener)
      return async () => stop()
    },
    async close() {
      if (closed) return
      await groups.idle()
      await exclusively(async () => {
        closed = true
        if (!inMemory) reader.close()
        try {
          writer.exec("pragma optimize")
        } catch {
          // Statistics only: a disk that is full must not keep the server from stopping.
        }
        writer.close()
      })
    },
  }

  const migrating: MigratingConnection = {
    kind: "sqlite",
    read: handleOver<unknown>({
      kind: "sqlite",
      execute: <R>(sql: string, parameters: readonly unknown[]) => answer<R>(() => writer.run(sql, parameters)),
    }),
    write: (work) =>
      exclusively(async () => {
        // A table is rebuilt by creating a new one and dropping the old, which must not delete rows that refer to it; foreign keys are checked below.
        writer.exec("pragma foreign_keys = off")
        try {
          return await runTransaction(alone, { ...options, idleLimit: undefined }, async (tx) => {
            const value = await work(tx)
            const broken = writer.run("pragma foreign_key_check", []).rows
            if (broken.length > 0)
              throw new Error(`${broken.length} rows refer to rows that are missing: ${JSON.stringify(broken.slice(0, 5))}`)
            return value
          })
        } finally {
          writer.exec("pragma foreign_keys = on")
        }
      }),
    script: writer.exec,
    copyBefore: inMemory ? undefined : (id) => copyDatabase(openFile(path, readerTimeout), `${path}.before-${id}`),
  }
  return { database, migrating }
}

/** Waits this long for another process, such as a command line beside the server, to release the lock. */
async function beginImmediate(writer: Connection, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs
  for (;;) {
    try {
      writer.exec("begin immediate")
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw sqliteFailure(error)
      await sleep(askAgain)
    }
  }
}

const databaseClosed = (): Error => new Error("The database is closed.")

const isBusy = (error: unknown): boolean => resultCode(error) === SQLITE_BUSY

/** A write through the reading handle is a mistake of the caller, and no state of the database. */
const readFailure = (error: unknown): unknown => (resultCode(error) === SQLITE_READONLY ? error : sqliteFailure(error))

type Writer = Connection & { inTransaction(): boolean; readonly native: DatabaseSync }

function openWriter(path: string, inMemory: boolean): Writer {
  if (!inMemory) prepareFile(path)
  const native = openFile(path, writerTimeout)
  try {
    const connection = openConnection(native, [
      ...(inMemory ? [] : ["pragma journal_mode = wal", "pragma journal_size_limit = 67108864"]),
      // With WAL, only FULL makes a commit survive a power failure, and not only a crash of this process.
      "pragma synchronous = full",
    ])
    return { ...connection, inTransaction: () => native.isTransaction, native }
  } catch (error) {
    native.close()
    if (resultCode(error) !== SQLITE_NOTADB) throw refused(path, error)
    throw new DatabaseRefused(
      "foreign",
      `${path} is not a SQLite database.`,
      "Point HEARTH_DATABASE_URL at the right file, or move this one away.",
      error,
    )
  }
}

/** Creates the file, readable by its owner only: it contains password hashes. SQLite gives its auxiliary files the same mode. */
function prepareFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    closeSync(openSync(path, "a", 0o600))
  } catch (error) {
    throw refused(path, error)
  }
}

function openFile(path: string, timeout: number): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout, enableForeignKeyConstraints: true, enableDoubleQuotedStringLiterals: false })
  } catch (error) {
    throw refused(path, error)
  }
}

const refused = (path: string, error: unknown) =>
  new DatabaseRefused(
    "unreachable",
    `The database file ${path} can't be opened: ${error instanceof Error ? error.message : String(error)}`,
    "Check that the folder exists, that this user may write in it, and that the disk has room.",
    error,
  )

function openConnection(native: DatabaseSync, pragmas: readonly string[]): Connection {
  for (const pragma of [
    ...pragmas,
    // Views and triggers of a foreign file must not call functions with side effects.
    "pragma trusted_schema = off",
    "pragma cell_size_check = on",
    "pragma cache_size = -16384",
    "pragma mmap_size = 67108864",
    "pragma temp_store = memory",
  ]) {
    native.exec(pragma)
  }
  // SQLite's own lower() knows only ASCII.
  native.function("fold", { deterministic: true, directOnly: true }, (text) => (typeof text === "string" ? text.toLowerCase() : text))
  native.function("holds_words", { deterministic: true, directOnly: true }, (text, words) =>
    typeof text === "string" && typeof words === "string" && holdsWords(text, words) ? 1 : 0,
  )
  return connectionOver(native)
}

function connectionOver(native: DatabaseSync, examine: (sql: string) => void = () => {}): Connection {
  const cache = new LRUCache<string, Prepared>({ max: statementsKept })
  const prepare = (sql: string): Prepared => {
    const known = cache.get(sql)
    if (known !== undefined) return known
    examine(sql)
    const statement = native.prepare(sql)
    const columns = statement.columns().map((column) => column.name)
    const prepared = { statement, columns: columns.length, toRow: rowMaker(columns) }
    statement.setReturnArrays(true)
    // A statement that changes the schema makes the cached columns of others stale, and is never run twice.
    if (/^\s*(create|alter|drop)\s/i.test(sql)) cache.clear()
    else cache.set(sql, prepared)
    return prepared
  }
  return {
    forgetColumns: () => cache.clear(),
    run(sql, parameters) {
      const prepared = prepare(sql)
      const values = parameters.map(toInput)
      if (prepared.columns === 0) return { rows: [], changes: Number(prepared.statement.run(...values).changes) }
      const found: readonly unknown[] = prepared.statement.all(...values)
      const [first] = found
      let { toRow } = prepared
      if (Array.isArray(first) && first.length !== prepared.columns) {
        // Another process has changed the tables, and SQLite has prepared the statement anew by itself: in the run before, whose rows were as long as ever.
        cache.delete(sql)
        toRow = prepare(sql).toRow
      }
      const rows = found.map(toRow)
      return { rows, changes: rows.length }
    },
    exec: (sql) => native.exec(sql),
    close: () => native.close(),
  }
}

/**
 * Makes the function that turns a statement's values into a row. The driver's own objects, or filling them in a loop, make a list about 50 %
 * slower; an object literal for the columns costs almost nothing. Its source contains the columns' names only, as quoted strings.
 */
function rowMaker(columns: readonly string[]): (values: unknown) => Row {
  const members = columns.map((name, i) => `${JSON.stringify(name)}: values[${i}]`)
  const make = new Function("values", `return { ${members.join(", ")} }`)
  return (values) => make(values)
}

function toInput(value: unknown): SQLInputValue {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
      return value
  }
  if (value === null || value instanceof Uint8Array) return value
  throw new TypeError(`A ${typeof value} can't be a parameter: truth values are stored as 0 and 1, moments as whole seconds.`)
}

/** A statement's result as a promise. The caller states the rows' type: SQL and row type come from the same builder. */
function answer<R>(run: () => Outcome<Row>, failure: (error: unknown) => unknown = sqliteFailure): Promise<Outcome<R>> {
  try {
    return Promise.resolve(run() as Outcome<Row & R>)
  } catch (error) {
    return Promise.reject(failure(error))
  }
}

/** In memory the reader shares the writer's connection, so whether a statement only reads is checked when it is prepared. */
function openMemoryReader(writer: Writer): Connection {
  return connectionOver(writer.native, (sql) => {
    // The opcode Transaction has 1 as its second operand in every statement that writes: https://www.sqlite.org/opcode.html
    const writes = writer.native
      .prepare(`explain ${sql}`)
      .all()
      .some((step) => step.opcode === "Transaction" && step.p2 !== 0)
    if (writes) throw new Error("attempt to write through the reading handle")
  })
}
