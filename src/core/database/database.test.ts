import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import { sql } from "kysely"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FreshDatabase, type FreshKind, freshDatabase, statementsOf } from "../../../tests/support/database.ts"
import { type Shelf, shelfMigrations } from "../../../tests/support/shelf.ts"
import {
  type DatabaseLogger,
  isForeignKeyViolation,
  isUniqueViolation,
  type Transaction,
  TransactionEnded,
  TransactionIdle,
} from "./database.ts"
import { openDatabase } from "./open.ts"

const kinds: readonly FreshKind[] = ["sqlite", "memory", "postgres"]

describe.each(kinds)("a database: %s", (kind) => {
  let fresh: FreshDatabase<Shelf>
  const warnings: string[] = []
  const logger: DatabaseLogger = { info() {}, warn: (_, message) => warnings.push(message), error() {} }

  beforeAll(async () => {
    fresh = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations, idleLimit: 200, logger })
  })
  afterAll(() => fresh.drop())
  beforeEach(async () => {
    warnings.length = 0
    await fresh.database.write(async (tx) => {
      await tx.deleteFrom("books").execute()
      await tx.deleteFrom("shelves").execute()
    })
  })

  const addShelf = (name: string) =>
    fresh.database.write((tx) =>
      tx.insertInto("shelves").values({ name, lower_name: name.toLowerCase() }).returning("id").executeTakeFirstOrThrow(),
    )
  const names = async () =>
    (await fresh.database.read.selectFrom("shelves").select("name").orderBy("name").execute()).map((row) => row.name)

  it("commits what the work wrote and gives its value", async () => {
    const { id } = await addShelf("North")
    expect(typeof id).toBe("number")
    expect(await names()).toEqual(["North"])
  })

  it("rolls back all of a transaction whose work fails", async () => {
    const work = fresh.database.write(async (tx) => {
      await tx.insertInto("shelves").values({ name: "Lost", lower_name: "lost" }).execute()
      throw new Error("changed my mind")
    })
    await expect(work).rejects.toThrow("changed my mind")
    expect(await names()).toEqual([])
  })

  it("rolls back a transaction that swallowed the failure of a statement", async () => {
    await addShelf("North")
    const work = fresh.database.write(async (tx) => {
      await tx.insertInto("shelves").values({ name: "South", lower_name: "south" }).execute()
      await tx
        .insertInto("shelves")
        .values({ name: "north", lower_name: "north" })
        .execute()
        .catch(() => {})
    })
    await expect(work).rejects.toSatisfy((error) => isUniqueViolation(error))
    expect(await names()).toEqual(["North"])
  })

  it("does not show what isn't committed", async () => {
    let reading: Promise<string[]> | undefined
    await fresh.database.write(async (tx) => {
      await tx.insertInto("shelves").values({ name: "Draft", lower_name: "draft" }).execute()
      reading = names()
      // In memory the read waits for the end of the transaction; otherwise it is answered immediately. It must never see an uncommitted row.
      if (kind !== "memory") expect(await reading).toEqual([])
      await tx.deleteFrom("shelves").execute()
      await tx.insertInto("shelves").values({ name: "Final", lower_name: "final" }).execute()
    })
    expect(await reading).toEqual(kind === "memory" ? ["Final"] : [])
    expect(await names()).toEqual(["Final"])
  })

  it("does not write through the reading handle", async () => {
    await expect(fresh.database.read.insertInto("shelves").values({ name: "X", lower_name: "x" }).execute()).rejects.toThrow(/read|write/)
    await expect(
      sql`with gone as (select 1) insert into shelves (name, lower_name) select 'X', 'x' from gone returning id`.execute(
        fresh.database.read,
      ),
    ).rejects.toThrow(/read|write/)
    expect(await names()).toEqual([])
  })

  it("offers no transaction beside database.write", async () => {
    await expect(fresh.database.read.transaction().execute(async () => {})).rejects.toThrow("database.write")
  })

  it("counts exactly under 32 writers of 25 increments each", async () => {
    const { id } = await addShelf("Counter")
    const writer = async () => {
      for (let i = 0; i < 25; i++) {
        await fresh.database.write(async (tx) => {
          await tx
            .updateTable("shelves")
            .set((eb) => ({ size: eb("size", "+", 1) }))
            .where("id", "=", id)
            .execute()
        })
      }
    }
    await Promise.all(Array.from({ length: 32 }, writer))
    const { size } = await fresh.database.read.selectFrom("shelves").select("size").where("id", "=", id).executeTakeFirstOrThrow()
    expect(size).toBe(800)
  })

  it("runs an effect after the commit, and none after a roll-back", async () => {
    const seen: string[] = []
    await fresh.database.write(async (tx) => {
      fresh.database.afterCommit(tx, () => seen.push("committed"))
      await tx.insertInto("shelves").values({ name: "A", lower_name: "a" }).execute()
      seen.push("working")
    })
    await fresh.database
      .write(async (tx) => {
        fresh.database.afterCommit(tx, () => seen.push("never"))
        throw new Error("no")
      })
      .catch(() => {})
    expect(seen).toEqual(["working", "committed"])
  })

  it("does not fail a committed transaction for an effect that throws", async () => {
    await fresh.database.write(async (tx) => {
      fresh.database.afterCommit(tx, () => {
        throw new Error("effect")
      })
      await tx.insertInto("shelves").values({ name: "A", lower_name: "a" }).execute()
    })
    expect(await names()).toEqual(["A"])
  })

  // Forges lock up ("database is locked") when they await git or the network inside a transaction.
  it("rolls back a transaction that waits for something else, and goes on", async () => {
    const answer = Promise.withResolvers<void>()
    const late = Promise.withResolvers<unknown>()
    const idle = fresh.database.write(async (tx) => {
      await tx.insertInto("shelves").values({ name: "Sleeper", lower_name: "sleeper" }).execute()
      await answer.promise
      const insert = tx.insertInto("shelves").values({ name: "Late", lower_name: "late" }).execute()
      late.resolve(insert.catch((error: unknown) => error))
      await insert
    })
    const next = addShelf("Next")
    await expect(idle).rejects.toBeInstanceOf(TransactionIdle)
    await expect(idle).rejects.toThrow(/insert into "shelves"/)
    await next
    answer.resolve()
    expect(await late.promise).toBeInstanceOf(TransactionEnded)
    expect(await names()).toEqual(["Next"])
    if (kind !== "postgres") expect(warnings).toContain("a transaction waits for something that is not the database")
  })

  it("refuses a statement through a transaction that has ended", async () => {
    let kept: Parameters<Parameters<typeof fresh.database.write>[0]>[0] | undefined
    await fresh.database.write(async (tx) => {
      kept = tx
    })
    if (kept === undefined) throw new Error("no transaction")
    await expect(kept.insertInto("shelves").values({ name: "X", lower_name: "x" }).execute()).rejects.toBeInstanceOf(TransactionEnded)
    const tx = kept
    expect(() => fresh.database.afterCommit(tx, () => {})).toThrow(TransactionEnded)
  })

  it("tells unique violations apart by their columns", async () => {
    const { id } = await addShelf("North")
    const again = await addShelf("NORTH").catch((error: unknown) => error)
    expect(isUniqueViolation(again)).toBe(true)
    expect(isUniqueViolation(again, "shelves.lower_name")).toBe(true)
    expect(isUniqueViolation(again, ["shelves.lower_name"])).toBe(true)
    expect(isUniqueViolation(again, "shelves.name")).toBe(false)
    expect(isForeignKeyViolation(again)).toBe(false)

    const book = { shelf_id: id, place: 1, title: "T" }
    await fresh.database.write((tx) => tx.insertInto("books").values(book).execute())
    const taken = await fresh.database
      .write((tx) =>
        tx
          .insertInto("books")
          .values({ ...book, title: "U" })
          .execute(),
      )
      .catch((error: unknown) => error)
    expect(isUniqueViolation(taken, ["books.half", "books.place", "books.shelf_id"])).toBe(true)
    expect(isUniqueViolation(taken, "books.place")).toBe(false)
    expect(isUniqueViolation(new Error("UNIQUE constraint failed: shelves.name"))).toBe(false)
  })

  it("names the index when uniqueness is on an expression", async () => {
    const { id } = await addShelf("North")
    const add = (title: string, place: number) =>
      fresh.database.write((tx) => tx.insertInto("books").values({ shelf_id: id, place, title }).execute())
    await add("Emma", 1)
    const error = await add("EMMA", 2).catch((reason: unknown) => reason)
    expect(isUniqueViolation(error, "books_title")).toBe(true)
    expect(isUniqueViolation(error, "books_other")).toBe(false)
  })

  it("knows a reference to nothing", async () => {
    const error = await fresh.database
      .write((tx) => tx.insertInto("books").values({ shelf_id: 999_999, place: 1, title: "T" }).execute())
      .catch((reason: unknown) => reason)
    expect(isForeignKeyViolation(error)).toBe(true)
    expect(isUniqueViolation(error)).toBe(false)
  })

  it("gives numbers for counts, sums and truth values, and refuses a wrong type", async () => {
    const { id } = await addShelf("North")
    await fresh.database.write((tx) => tx.insertInto("books").values({ shelf_id: id, place: 7, title: "T" }).execute())
    const row = await fresh.database.read
      .selectFrom("books")
      .select((eb) => [
        eb.fn.countAll<number>().as("count"),
        eb.fn.sum<number>("place").as("sum"),
        eb.exists(eb.selectFrom("shelves").select("id")).as("any"),
      ])
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ count: 1, sum: 7, any: 1 })
    await expect(fresh.database.write((tx) => sql`update books set place = ${"many"}`.execute(tx))).rejects.toThrow()
  })

  it("takes several statements at once inside a transaction", async () => {
    const complaints: Error[] = []
    const listen = (warning: Error) => complaints.push(warning)
    process.on("warning", listen)
    const add = (tx: Transaction<Shelf>, name: string) => tx.insertInto("shelves").values({ name, lower_name: name }).execute()
    await fresh.database.write((tx) => Promise.all(["a", "b", "c"].map((name) => add(tx, name))))
    // Warnings are emitted before the next turn.
    await turn()
    process.off("warning", listen)
    expect(await names()).toEqual(["a", "b", "c"])
    expect(complaints).toEqual([])
  })

  it("counts the rows that a statement changed", async () => {
    await addShelf("A")
    await addShelf("B")
    const result = await fresh.database.write((tx) => tx.updateTable("shelves").set({ size: 3 }).executeTakeFirstOrThrow())
    expect(result.numUpdatedRows).toBe(2n)
  })

  it("shows its statements to an observer", async () => {
    const seen = await statementsOf(fresh.database, async () => {
      await names()
      await addShelf("A")
    })
    expect(seen.map(({ sql, inTransaction }) => [sql.split(" ")[0], inTransaction])).toEqual([
      ["select", false],
      ["insert", true],
    ])
    expect(await statementsOf(fresh.database, async () => {})).toEqual([])
  })

  it("carries messages to listeners, from a transaction only when it commits", async () => {
    const seen: (string | undefined)[] = []
    const stop = await fresh.database.listen("hearth_test", (payload) => seen.push(payload))
    await fresh.database.notify("hearth_test", "plain")
    await fresh.database.write((tx) => fresh.database.notify("hearth_test", "committed", tx))
    await fresh.database
      .write(async (tx) => {
        await fresh.database.notify("hearth_test", "lost", tx)
        throw new Error("no")
      })
      .catch(() => {})
    await fresh.database.notify("hearth_test", "last")
    await expect.poll(() => seen).toEqual(["plain", "committed", "last"])
    await stop()
    const later: (string | undefined)[] = []
    const stopLater = await fresh.database.listen("hearth_test", (payload) => later.push(payload))
    await fresh.database.notify("hearth_test", "for others")
    await expect.poll(() => later).toEqual(["for others"])
    await stopLater()
    expect(seen).toHaveLength(3)
  })
})

describe.each(["sqlite", "memory"] as const)("one writer: %s", (kind) => {
  it("frees a transaction that waits for another one of its own making", async () => {
    const { database, drop } = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations, idleLimit: 100 })
    const add = (tx: Transaction<Shelf>, name: string) => tx.insertInto("shelves").values({ name, lower_name: name }).execute()
    const nested = database.write(async (tx) => {
      await add(tx, "outer")
      await database.write((inner) => add(inner, "inner"))
    })
    await expect(nested).rejects.toBeInstanceOf(TransactionIdle)
    await expect.poll(() => database.read.selectFrom("shelves").select("name").execute()).toEqual([{ name: "inner" }])
    await drop()
  })

  it("commits what arrives together at once, and rolls back only what failed", async () => {
    const { database, drop } = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations })
    const commits: string[] = []
    const add = (name: string, fail = false) =>
      database.write(async (tx) => {
        await tx.insertInto("shelves").values({ name, lower_name: name }).execute()
        database.afterCommit(tx, () => commits.push(name))
        if (fail) throw new Error(`${name} fails`)
      })
    const outcomes = await Promise.allSettled([add("one"), add("two", true), add("one"), add("three")])
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"])
    expect(commits).toEqual(["one", "three"])
    const rows = await database.read.selectFrom("shelves").select("name").orderBy("id").execute()
    expect(rows.map(({ name }) => name)).toEqual(["one", "three"])
    await drop()
  })

  it("resolves no transaction before the commit of the group", async () => {
    const { database, drop } = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations })
    const seen: number[] = []
    const count = async () => (await database.read.selectFrom("shelves").select("id").execute()).length
    const works = Array.from({ length: 5 }, async (_, index) => {
      await database.write((tx) =>
        tx
          .insertInto("shelves")
          .values({ name: `${index}`, lower_name: `${index}` })
          .execute(),
      )
      seen.push(await count())
    })
    await Promise.all(works)
    // A busy machine makes more groups than one of them.
    expect(seen.every((count, ended) => count > ended)).toBe(true)
    expect(seen).toEqual(seen.toSorted())
    await drop()
  })

  it("refuses none before what it was refused for is committed", async () => {
    const { database, drop } = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations })
    const names = () => database.read.selectFrom("shelves").select("name").execute()
    const add = () =>
      database.write(async (tx) => {
        if ((await tx.selectFrom("shelves").select("id").execute()).length > 0) throw new Error("it is there")
        await tx.insertInto("shelves").values({ name: "one", lower_name: "one" }).execute()
      })
    const added = add()
    const refused = add().catch(async (error: unknown) => [error, await names()])
    const long = database.write(async (tx) => {
      for (let more = 0; more < 100; more++) await tx.selectFrom("shelves").select("id").execute()
    })
    expect(await refused).toEqual([new Error("it is there"), [{ name: "one" }]])
    await Promise.all([added, long])
    await drop()
  })

  it("takes a transaction that arrives at the moment when a group ends", async () => {
    const { database, drop } = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations })
    const nothing = () => database.write((tx) => tx.selectFrom("shelves").select("id").execute())
    // At each number of microtasks later: one of these is between the end of the last group and its release.
    for (let later = 0; later < 20; later++) {
      const followed = Promise.withResolvers<unknown>()
      const follow = async () => {
        for (let step = 0; step < later; step++) await Promise.resolve()
        followed.resolve(await nothing())
      }
      await database.write(async (tx) => database.afterCommit(tx, () => void follow()))
      await followed.promise
    }
    await drop()
  })

  it("finishes what was asked before it is closed", async () => {
    const { database, drop } = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations })
    const works = Array.from({ length: 50 }, (_, index) =>
      database.write((tx) =>
        tx
          .insertInto("shelves")
          .values({ name: `${index}`, lower_name: `${index}` })
          .execute(),
      ),
    )
    await database.close()
    expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual(works.map(() => "fulfilled"))
    await expect(database.write(async () => {})).rejects.toThrow("closed")
    await drop()
  })

  it("allows no turn of the event loop inside a transaction when told so", async () => {
    const { database, drop } = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations, idleLimit: 0 })
    await expect(database.write(() => sleep(50))).rejects.toBeInstanceOf(TransactionIdle)
    expect(await database.write(async (tx) => (await tx.selectFrom("shelves").selectAll().execute()).length)).toBe(0)
    await drop()
  })
})

describe("two processes on one SQLite file", () => {
  it("write side by side without a locked error", async () => {
    const { url, database, drop } = await freshDatabase<Shelf>("sqlite", { migrations: shelfMigrations })
    const other = await openDatabase<Shelf>({ url, migrations: shelfMigrations })
    await database.write((tx) => tx.insertInto("shelves").values({ name: "Counter", lower_name: "counter" }).execute())
    const grow = (on: typeof database) =>
      on.write((tx) =>
        tx
          .updateTable("shelves")
          .set((eb) => ({ size: eb("size", "+", 1) }))
          .execute(),
      )
    await Promise.all(Array.from({ length: 100 }, (_, i) => grow(i % 2 === 0 ? database : other)))
    // The other one holds the lock across turns of the event loop, as a foreign process would.
    const held = other.write(async (tx) => {
      await tx.updateTable("shelves").set({ name: "Held" }).execute()
      await sleep(200)
    })
    await Promise.all([held, grow(database)])
    expect(await database.read.selectFrom("shelves").select(["name", "size"]).execute()).toEqual([{ name: "Held", size: 101 }])
    await other.close()
    await drop()
  })
})

describe("PostgreSQL", () => {
  it("outlives a connection that is lost in the middle of a transaction", async () => {
    const fresh = await freshDatabase<Shelf>("postgres", { migrations: shelfMigrations })
    try {
      const add = (tx: Transaction<Shelf>, name: string) => tx.insertInto("shelves").values({ name, lower_name: name }).execute()
      const cut = fresh.database.write(async (tx) => {
        await add(tx, "cut")
        await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
      })
      await expect(cut).rejects.toThrow()
      await fresh.database.write((tx) => add(tx, "next"))
      expect(await fresh.database.read.selectFrom("shelves").select("name").execute()).toEqual([{ name: "next" }])
    } finally {
      await fresh.drop()
    }
  })

  it("runs a transaction again that lost a deadlock", async () => {
    const fresh = await freshDatabase<Shelf>("postgres", { migrations: shelfMigrations })
    try {
      const { database } = fresh
      await database.write((tx) =>
        tx
          .insertInto("shelves")
          .values([
            { name: "a", lower_name: "a" },
            { name: "b", lower_name: "b" },
          ])
          .execute(),
      )
      let tries = 0
      let holding = 0
      const both = (first: string, second: string) =>
        database.write(async (tx) => {
          tries++
          const grow = (name: string) =>
            tx
              .updateTable("shelves")
              .set((eb) => ({ size: eb("size", "+", 1) }))
              .where("name", "=", name)
              .execute()
          await grow(first)
          holding++
          while (holding < 2) await sql`select pg_sleep(0.01)`.execute(tx)
          await grow(second)
        })
      await Promise.all([both("a", "b"), both("b", "a")])
      expect(tries).toBeGreaterThan(2)
      expect((await database.read.selectFrom("shelves").select("size").execute()).map((row) => row.size)).toEqual([2, 2])
    } finally {
      await fresh.drop()
    }
  })

  it("tells listeners that they may have missed something when the connection was lost", async () => {
    const fresh = await freshDatabase<Shelf>("postgres", { migrations: shelfMigrations })
    try {
      const seen: (string | undefined)[] = []
      await fresh.database.listen("hearth_test", (payload) => seen.push(payload))
      await fresh.database.write((tx) =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hearth listener' and datname = current_database()`.execute(
          tx,
        ),
      )
      await expect.poll(() => seen).toEqual([undefined])
      await fresh.database.notify("hearth_test", "again")
      await expect.poll(() => seen).toEqual([undefined, "again"])
    } finally {
      await fresh.drop()
    }
  })
})

describe("opening", () => {
  it("refuses an address that is no database's, without repeating its password", async () => {
    await expect(openDatabase({ url: "mysql://x" })).rejects.toMatchObject({ name: "DatabaseRefused", reason: "unreachable" })
    await expect(openDatabase({ url: "sqlite:relative.db" })).rejects.toMatchObject({ reason: "unreachable" })
    const error: unknown = await openDatabase({ url: "postgres://hearth:sesame@127.0.0.1:1/none" }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: "DatabaseRefused", reason: "unreachable" })
    expect(String(error)).not.toContain("sesame")
  })

  it("refuses a file that isn't a database, and leaves it alone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hearth-database-"))
    try {
      const file = join(folder, "hearth.db")
      const { writeFile, readFile } = await import("node:fs/promises")
      await writeFile(file, "this is a letter, not a database\n".repeat(100))
      await expect(openDatabase({ url: `sqlite:${file}` })).rejects.toMatchObject({ name: "DatabaseRefused", reason: "foreign" })
      expect(await readFile(file, "utf8")).toMatch(/^this is a letter/)
      expect(existsSync(`${file}-wal`)).toBe(false)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it("leaves no side files after a clean end, and refuses work afterwards", async () => {
    const fresh = await freshDatabase<Shelf>("sqlite", { migrations: shelfMigrations })
    const file = fresh.url.slice("sqlite:".length)
    expect(existsSync(`${file}-wal`)).toBe(true)
    await fresh.database.close()
    expect(existsSync(`${file}-wal`)).toBe(false)
    await expect(fresh.database.write(async () => {})).rejects.toThrow("closed")
    await fresh.drop()
  })
})
