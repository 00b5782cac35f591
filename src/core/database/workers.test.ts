/** Several workers of one server on one SQLite file: each has a database of its own here, as each process has. */
import { setImmediate as turnOfLoop } from "node:timers/promises"
import { sql } from "kysely"
import { afterEach, describe, expect, test, vi } from "vitest"
import { freshUrl } from "../../../tests/support/database.ts"
import { type Shelf, shelfMigrations } from "../../../tests/support/shelf.ts"
import { type FakeWorker, fakeWorkers } from "../../../tests/support/workers.ts"
import type { Database } from "./database.ts"
import { DatabaseUnavailable } from "./failures.ts"
import type { Migration } from "./migrate.ts"
import { openDatabase } from "./open.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Side {
  readonly worker: FakeWorker
  readonly database: Database<Shelf>
}

/** Two workers, on a file that `open` opens once more for a third. */
async function openTwo(): Promise<{ readonly one: Side; readonly other: Side; readonly url: string; readonly third: FakeWorker }> {
  const { url, drop } = await freshUrl("sqlite", { empty: true })
  closing.push(drop)
  const [first, second, third] = fakeWorkers(3)
  if (!first || !second || !third) throw new Error("there are three")
  return { one: await open(url, first), other: await open(url, second), url, third }
}

async function open(url: string, worker: FakeWorker, migrations: readonly Migration[] = shelfMigrations): Promise<Side> {
  const database = await openDatabase<Shelf>({ url, migrations, cluster: worker, waitMs: 5_000 })
  closing.push(() => database.close())
  return { worker, database }
}

const add = ({ database }: Side, name: string) =>
  database.write((tx) => tx.insertInto("shelves").values({ name, lower_name: name.toLowerCase() }).execute())

const shelves = ({ database }: Side) => database.read.selectFrom("shelves").selectAll().execute()

describe("workers on one SQLite file", () => {
  test("write in turns, however much each of them has to write", async () => {
    const { one, other } = await openTwo()
    const order: string[] = []
    const write = async (side: Side, name: string) => {
      for (let i = 0; i < 20; i++) {
        await side.database.write(async (tx) => {
          await tx
            .insertInto("shelves")
            .values({ name: `${name}${i}`, lower_name: `${name}${i}` })
            .execute()
          order.push(name)
          for (let rounds = 0; rounds < 3; rounds++) await turnOfLoop().then(() => sql`select 1`.execute(tx))
        })
      }
    }
    await Promise.all([write(one, "a"), write(other, "b")])
    expect(await shelves(one)).toHaveLength(40)
    // Without turns one of them would find the file locked, sleep, and find it locked again.
    expect(order.join("")).toMatch(/^(ab|ba)+$/)
  })

  test("find the database unavailable when another keeps the turn, and write again when they have it", async () => {
    const { one, other } = await openTwo()
    await add(other, "East")
    const giveBack = await other.worker.turns.take(1_000)
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const late = add(one, "Late")
    const refused = expect(late).rejects.toBeInstanceOf(DatabaseUnavailable)
    for (let rounds = 0; rounds < 10; rounds++) await turnOfLoop()
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    await refused
    const next = add(one, "North")
    giveBack()
    await next
    expect((await shelves(other)).map(({ name }) => name)).toEqual(["East", "North"])
  })

  test("are notified of what another commits, and of nothing that it rolls back", async () => {
    const { one, other } = await openTwo()
    const heard: string[] = []
    for (const [name, { database }] of Object.entries({ one, other }))
      closing.push(await database.listen("news", (payload) => heard.push(`${name}: ${payload}`)))
    await one.database.write(async (tx) => {
      await one.database.notify("news", "committed", tx)
      await turnOfLoop()
      expect(heard).toEqual([])
    })
    await expect.poll(() => heard).toEqual(["one: committed", "other: committed"])
    const undone = one.database.write(async (tx) => {
      await one.database.notify("news", "undone", tx)
      throw new Error("undone")
    })
    await expect(undone).rejects.toThrow("undone")
    await other.database.notify("news", "at once")
    await expect.poll(() => heard.slice(2)).toEqual(["other: at once", "one: at once"])
    await one.database.notify("other news", "unheard")
    await turnOfLoop()
    expect(heard).toHaveLength(4)
  })

  test("read the columns that there are after a newer version has added one", async () => {
    const { one, other } = await openTwo()
    await add(one, "North")
    const before = { id: 1, name: "North", lower_name: "north", size: 0 }
    // Prepared by both, for reading and for writing.
    const readAll = async () => [
      ...(await shelves(one)),
      ...(await shelves(other)),
      ...(await one.database.write((tx) => tx.selectFrom("shelves").selectAll().execute())),
    ]
    expect(await readAll()).toEqual([before, before, before])
    // Said to no one: there may be rows to read before the message arrives.
    await other.database.write((tx) => sql`alter table shelves add column colour text not null default 'red'`.execute(tx))
    const after = { ...before, colour: "red" }
    // What was prepared before gives the columns of then once more, while SQLite prepares it anew.
    expect(await readAll()).toMatchObject([before, before, before])
    expect(await readAll()).toEqual([after, after, after])
  })

  test("read the columns that there are after a newer version has put one in the place of another", async () => {
    const { one, url, third } = await openTwo()
    await add(one, "North")
    expect(await shelves(one)).toEqual([{ id: 1, name: "North", lower_name: "north", size: 0 }])
    const colours: Migration = {
      id: 2,
      name: "colours",
      async up(db) {
        await sql`alter table shelves drop column size`.execute(db)
        await sql`alter table shelves add column colour text not null default 'red'`.execute(db)
      },
    }
    // As many columns as before, so that rows alone don't tell.
    await open(url, third, [...shelfMigrations, colours])
    await expect.poll(() => shelves(one)).toEqual([{ id: 1, name: "North", lower_name: "north", colour: "red" }])
  })
})
