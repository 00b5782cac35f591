/** Writers in a line on PostgreSQL: what they share, and what they don't. */
import { connect, createServer, type Socket } from "node:net"
import { sql } from "kysely"
import pg from "pg"
import { afterEach, describe, expect, test } from "vitest"
import { freshDatabase, freshUrl } from "../../../tests/support/database.ts"
import { type Shelf, shelfMigrations } from "../../../tests/support/shelf.ts"
import type { Database, Transaction } from "./database.ts"
import { CommitUnknown, DatabaseUnavailable, isUniqueViolation, type TransactionIdle } from "./failures.ts"
import { type DatabaseOptions, openDatabase } from "./open.ts"
import { query, quickQuery } from "./query.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(options: Omit<DatabaseOptions, "url"> = {}) {
  const fresh = await freshDatabase<Shelf>("postgres", { migrations: shelfMigrations, ...options })
  closing.push(fresh.drop)
  return fresh
}

const shelvesNamed = query<{ name: string }, { id: number }, Shelf>("test.pooledShelf", (db, p) =>
  db.selectFrom("shelves").select("id").where("name", "=", p.name),
)
const shelf = quickQuery(
  query<{ name: string }, { id: number; pid: number }, Shelf>("test.quickShelf", (db, p) =>
    db
      .selectFrom("shelves")
      .select(["id", sql<number>`pg_backend_pid()`.as("pid")])
      .where("name", "=", p.name),
  ),
)

/** Another program on the same database. */
async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  closing.push(() => client.end())
  return client
}

const LINE = "shelves 1"
const add = (tx: Transaction<Shelf>, name: string) => tx.insertInto("shelves").values({ name, lower_name: name }).execute()
const grow = (tx: Transaction<Shelf>, name: string) =>
  tx
    .updateTable("shelves")
    .set((eb) => ({ size: eb("size", "+", 1) }))
    .where("name", "=", name)
    .execute()
const addInLine = (database: Database<Shelf>, name: string) => database.write((tx) => add(tx, name), LINE)
const names = async (database: Database<Shelf>): Promise<readonly string[]> =>
  (await database.read.selectFrom("shelves").select("name").orderBy("id").execute()).map(({ name }) => name)
const transactionOf = async (tx: Transaction<Shelf>): Promise<string | undefined> =>
  (await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(tx)).rows[0]?.id
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const statesOf = (results: readonly PromiseSettledResult<unknown>[]): readonly string[] => results.map(({ status }) => status)

describe("writers in a line", () => {
  test("share transactions, in their order, and are told after the commit", async () => {
    const { database } = await open()
    const seen: string[] = []
    const ids = await Promise.all(
      numbers(40).map((index) =>
        database.write(async (tx) => {
          await add(tx, `${index}`)
          database.afterCommit(tx, () => seen.push(`${index}`))
          return transactionOf(tx)
        }, LINE),
      ),
    )
    expect(await names(database)).toEqual(numbers(40).map(String))
    expect(new Set(seen)).toEqual(new Set(numbers(40).map(String)))
    expect(seen).toHaveLength(40)
    // A savepoint has no such id of its own; how many fit into the time of a group depends on the machine.
    expect(new Set(ids).size).toBeLessThan(40)
  })

  test("count exactly, beside another process and writers without a line", async () => {
    const { database, url } = await open()
    await database.write((tx) => add(tx, "counted"))
    const other = await openDatabase<Shelf>({ url, migrations: shelfMigrations, poolSize: 3 })
    closing.push(() => other.close())
    await Promise.all(
      numbers(60).map((index) => (index % 2 ? database : other).write((tx) => grow(tx, "counted"), index % 5 ? LINE : undefined)),
    )
    expect(await database.read.selectFrom("shelves").select("size").execute()).toEqual([{ size: 60 }])
  })

  test("fail alone, whether they or a statement of theirs fails, awaited or not", async () => {
    const { database } = await open()
    const effects: string[] = []
    const results = await Promise.allSettled([
      addInLine(database, "first"),
      database.write(async (tx) => {
        await add(tx, "thrown")
        database.afterCommit(tx, () => effects.push("thrown"))
        throw new Error("refused")
      }, LINE),
      addInLine(database, "second"),
      addInLine(database, "first"),
      database.write(async (tx) => {
        await add(tx, "swallowed")
        await add(tx, "first").catch(() => {})
      }, LINE),
      database.write(async (tx) => {
        await add(tx, "careless")
        void add(tx, "second").catch(() => {})
      }, LINE),
      addInLine(database, "third"),
    ])
    expect(statesOf(results)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "rejected", "rejected", "fulfilled"])
    const [, thrown, , ...violations] = results.map((result) => (result.status === "rejected" ? result.reason : undefined))
    expect(thrown).toMatchObject({ message: "refused" })
    for (const violation of violations.slice(0, 3)) expect(isUniqueViolation(violation, "shelves.lower_name")).toBe(true)
    expect(await names(database)).toEqual(["first", "second", "third"])
    expect(effects).toEqual([])
  })

  test("go on after the first one has failed", async () => {
    const { database } = await open()
    const failing = database.write(async (tx) => {
      await add(tx, "gone")
      throw new Error("refused")
    }, LINE)
    await Promise.all([expect(failing).rejects.toThrow("refused"), addInLine(database, "next"), addInLine(database, "last")])
    expect(await names(database)).toEqual(["next", "last"])
  })

  test("wait for one that waits for something else no longer than it may", async () => {
    const { database } = await open({ idleLimit: 100 })
    const stalled = database.write(async (tx) => {
      await add(tx, "stalled")
      await new Promise(() => {})
    }, LINE)
    const results = await Promise.allSettled([addInLine(database, "before"), stalled, addInLine(database, "after")])
    expect(statesOf(results)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(results[1]).toMatchObject({ reason: { name: "TransactionIdle" } satisfies Partial<TransactionIdle> })
    expect(await names(database)).toEqual(["before", "after"])
  })

  test("are answered while one after them waits for a row that another program holds, which is written when it is free", async () => {
    const { database, url } = await open()
    await database.write((tx) => add(tx, "held"))
    const client = await openClient(url)
    await client.query("begin; update shelves set size = 5 where name = 'held'")
    let isWritten = false
    let runs = 0
    const before = addInLine(database, "before")
    const waiting = database
      .write(async (tx) => {
        runs++
        await add(tx, "waiting")
        await grow(tx, "held")
      }, LINE)
      .then(() => {
        isWritten = true
      })
    await Promise.all([before, addInLine(database, "after")])
    expect(isWritten).toBe(false)
    expect(new Set(await names(database))).toEqual(new Set(["held", "before", "after"]))
    await client.query("commit")
    await waiting
    expect(runs).toBe(2)
    expect((await database.read.selectFrom("shelves").select("size").where("name", "=", "held").execute())[0]?.size).toBe(6)
    expect(await names(database)).toContain("waiting")
  })

  test("run again on their own after a deadlock", async () => {
    const { database, url } = await open()
    await database.write(async (tx) => void (await Promise.all([add(tx, "a"), add(tx, "b")])))
    const client = await openClient(url)
    await client.query("set deadlock_timeout = '10s'; begin; update shelves set size = size + 1 where name = 'b'")
    let crossing: Promise<unknown> | undefined
    const runs: string[] = []
    await Promise.all([
      addInLine(database, "before"),
      database.write(async (tx) => {
        runs.push((await transactionOf(tx)) ?? "")
        await sql`set local statement_timeout = 0`.execute(tx)
        await grow(tx, "a")
        crossing ??= client.query("update shelves set size = size + 1 where name = 'a'; commit")
        await grow(tx, "b")
      }, LINE),
      addInLine(database, "after"),
    ])
    await crossing
    expect(runs).toHaveLength(2)
    expect(
      (await database.read.selectFrom("shelves").select("size").where("name", "in", ["a", "b"]).execute()).map(({ size }) => size),
    ).toEqual([2, 2])
    expect(new Set(await names(database))).toEqual(new Set(["a", "b", "before", "after"]))
  })

  test("all fail as unavailable when their connection is lost, and leave nothing; those behind them are written", async () => {
    const { database } = await open()
    const ids = new Map<string, string | undefined>()
    const results = await Promise.allSettled(
      ["one", "two", "killer", "three"].map((name) =>
        database.write(async (tx) => {
          ids.set(name, await transactionOf(tx))
          await add(tx, name)
          if (name === "killer") await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
        }, LINE),
      ),
    )
    // Whoever was too late for the killer's transaction, or too early, is not touched.
    const isLost = [...ids.values()].map((id) => id === ids.get("killer"))
    expect(statesOf(results)).toEqual(isLost.map((lost) => (lost ? "rejected" : "fulfilled")))
    for (const result of results)
      if (result.status === "rejected")
        expect([result.reason instanceof DatabaseUnavailable, result.reason instanceof CommitUnknown]).toEqual([true, false])
    expect(await names(database)).toEqual([...ids.keys()].filter((_, index) => !isLost[index]))
  })

  test("are refused when their turn does not come in time, and when too many wait", async () => {
    const { database } = await open({ waitMs: 1_000, poolSize: 2 })
    const first = database.write(async (tx) => {
      for (const _ of numbers(10)) await sql`select pg_sleep(0.2)`.execute(tx)
    }, LINE)
    const waiting = numbers(120).map((index) => addInLine(database, `${index}`))
    const results = await Promise.allSettled(waiting)
    expect(new Set(statesOf(results))).toEqual(new Set(["rejected"]))
    const reasons = results.map((result) => (result.status === "rejected" ? String(result.reason) : ""))
    expect(reasons.filter((reason) => reason.includes("Too many calls wait")).length).toBeGreaterThanOrEqual(20)
    expect(reasons.filter((reason) => reason.includes("have written for too long")).length).toBeGreaterThanOrEqual(90)
    await first
    await addInLine(database, "next")
    expect(await names(database)).toEqual(["next"])
  })

  test("close the database after those who wait", async () => {
    const { url } = await open()
    const database = await openDatabase<Shelf>({ url, migrations: shelfMigrations })
    const written = numbers(20).map((index) => addInLine(database, `${index}`))
    await Promise.all([database.close(), ...written])
    const client = await openClient(url)
    expect((await client.query("select 1 from shelves")).rowCount).toBe(20)
  })
})

/** Passes everything on to this server, until a client sends `word`: that still arrives, and its answer does not. */
async function cutAfter(url: string, word: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isArmed = true
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    let isCut = false
    for (const socket of [client, server]) sockets.add(socket.on("error", () => {}))
    client.on("data", (data) => {
      if (isArmed && data.includes(word)) [isArmed, isCut] = [false, true]
      server.write(data)
    })
    server.on("data", (data) => (isCut ? client.destroy() : client.write(data)))
    client.on("close", () => server.end())
    server.on("close", () => client.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  closing.push(async () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = proxy.address()
  const target = new URL(url)
  target.port = typeof address === "object" && address ? String(address.port) : ""
  return target.href
}

describe("a transaction that the server has ended since its process stood still", () => {
  /** Longer than a process that works takes for idle. */
  const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900)

  test.each([undefined, LINE])("is run again: line %s", async (line) => {
    const { database } = await open({ idleLimit: 100 })
    const runs = new Map<string, number>()
    const written = ["before", "one", "two", "after"].map((name) =>
      database.write(async (tx) => {
        const run = (runs.get(name) ?? 0) + 1
        runs.set(name, run)
        await add(tx, name)
        if (run === 1 && name === "one") standStill()
        await grow(tx, name)
        if (run === 1 && name === "two") standStill()
      }, line),
    )
    expect(statesOf(await Promise.allSettled(written))).toEqual(written.map(() => "fulfilled"))
    // A run may meet the other one's standstill too.
    for (const name of ["one", "two"]) expect(runs.get(name)).toBeGreaterThanOrEqual(2)
    const rows = await database.read.selectFrom("shelves").select(["name", "size"]).execute()
    expect(new Map(rows.map(({ name, size }) => [name, size]))).toEqual(new Map([...runs.keys()].map((name) => [name, 1])))
    expect(rows).toHaveLength(4)
  })
})

describe("a commit whose answer is lost", () => {
  test.each([undefined, LINE])("is neither answered as done nor run again: line %s", async (line) => {
    const { url, drop } = await freshUrl("postgres", { empty: true })
    closing.push(drop)
    await (await openDatabase<Shelf>({ url, migrations: shelfMigrations })).close()
    const database = await openDatabase<Shelf>({ url: await cutAfter(url, "commit\0"), migrations: shelfMigrations, migrate: false })
    closing.push(() => database.close())
    const ids: (string | undefined)[] = []
    const effects: number[] = []
    const writing = numbers(3).map((index) =>
      database.write(async (tx) => {
        await add(tx, `${index}`)
        database.afterCommit(tx, () => effects.push(index))
        ids.push(await transactionOf(tx))
        return index
      }, line),
    )
    const results = await Promise.allSettled(writing)
    const lost = results.filter((result) => result.status === "rejected")
    const done = results.filter((result) => result.status === "fulfilled")
    expect(lost.length).toBeGreaterThanOrEqual(1)
    for (const { reason } of lost) expect(reason).toBeInstanceOf(CommitUnknown)
    expect(ids).toHaveLength(3)
    expect(new Set(effects)).toEqual(new Set(done.map(({ value }) => value)))
    // It was stored all the same, which nobody could know.
    await expect.poll(() => names(database)).toHaveLength(3)
  })
})

describe("behind a pooler of transactions", () => {
  test("no statement is prepared by name, and who listens is asked to check", async () => {
    const { database } = await open({ transactionPooling: true })
    const heard: (string | undefined)[] = []
    const stop = await database.listen("hearth_test", (payload) => heard.push(payload))
    await database.write(async (tx) => {
      await add(tx, "one")
      expect(await shelvesNamed(tx, { name: "one" })).toHaveLength(1)
      expect((await sql`select name from pg_prepared_statements`.execute(tx)).rows).toEqual([])
    }, LINE)
    await database.notify("hearth_test", "lost")
    await expect.poll(() => heard).toContain(undefined)
    expect(heard).not.toContain("lost")
    await stop()
  })

  test("notifications come by the address that is given for them", async () => {
    const { url } = await open()
    const database = await openDatabase<Shelf>({ url, migrations: shelfMigrations, transactionPooling: true, listenUrl: url })
    closing.push(() => database.close())
    const heard: (string | undefined)[] = []
    await database.listen("hearth_test", (payload) => heard.push(payload))
    await database.write((tx) => database.notify("hearth_test", "told", tx), LINE)
    await expect.poll(() => heard).toEqual(["told"])
  })
})

describe("reads of one row", () => {
  test("share a connection, and fail together when it is lost", async () => {
    const { database, url } = await open()
    await database.write((tx) => add(tx, "one"))
    const ask = (): Promise<readonly { readonly pid: number }[]> => shelf(database.read, { name: "one" })
    const pids = (await Promise.all(numbers(50).map(ask))).map(([row]) => row?.pid)
    expect(new Set(pids).size).toBe(1)
    const client = await openClient(url)
    await client.query("begin; lock table shelves in access exclusive mode")
    const waiting = Promise.allSettled(numbers(5).map(ask))
    await expect
      .poll(
        async () => (await client.query("select 1 from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'", [pids[0]])).rowCount,
      )
      .toBe(1)
    await client.query("select pg_terminate_backend($1)", [pids[0]])
    for (const result of await waiting) expect(result).toMatchObject({ reason: expect.any(DatabaseUnavailable) })
    await client.query("commit")
    expect(await ask()).toHaveLength(1)
  })
})
