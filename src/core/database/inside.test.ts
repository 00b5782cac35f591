import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FreshDatabase, type FreshKind, freshDatabase } from "../../../tests/support/database.ts"
import { type Shelf, shelfMigrations } from "../../../tests/support/shelf.ts"
import { ActsOutside, type Database, isUniqueViolation, TransactionIdle } from "./database.ts"
import { inside } from "./inside.ts"

const kinds: readonly FreshKind[] = ["sqlite", "memory", "postgres"]

describe.each(kinds)("work within a held transaction: %s", (kind) => {
  let fresh: FreshDatabase<Shelf>
  beforeAll(async () => {
    fresh = await freshDatabase<Shelf>(kind, { migrations: shelfMigrations, idleLimit: 200 })
  })
  afterAll(() => fresh.drop())
  beforeEach(() => fresh.database.write((tx) => tx.deleteFrom("shelves").execute()))

  const addTo = (database: Database<Shelf>, name: string, effect = () => {}) =>
    database.write(async (tx) => {
      database.afterCommit(tx, effect)
      await tx.insertInto("shelves").values({ name, lower_name: name.toLowerCase() }).execute()
    })
  const namesIn = async ({ read }: Database<Shelf>) =>
    (await read.selectFrom("shelves").select("name").orderBy("name").execute()).map(({ name }) => name)
  const hold = <R>(work: (within: Database<Shelf>) => Promise<R>, how?: { readonly steady: boolean }) =>
    fresh.database.hold((tx) => work(inside(fresh.database, tx)), how)

  it("sees what it has written, waits where it must, and is there for others at the end, with its effects", async () => {
    const effects: string[] = []
    await hold(async (within) => {
      await addTo(within, "A", () => effects.push("A"))
      await sleep(20)
      await addTo(within, "B", () => effects.push("B"))
      expect(await namesIn(within)).toEqual(["A", "B"])
      expect(effects).toEqual([])
    })
    expect(effects).toEqual(["A", "B"])
    expect(await namesIn(fresh.database)).toEqual(["A", "B"])
  })

  it("undoes alone what fails in it, also where a statement fails, with its effects", async () => {
    const effects: string[] = []
    await hold(async (within) => {
      await addTo(within, "A", () => effects.push("A"))
      await expect(addTo(within, "a", () => effects.push("a"))).rejects.toSatisfy((error) => isUniqueViolation(error))
      const changed = within.hold(async (tx) => {
        await addTo(inside(within, tx), "C", () => effects.push("C"))
        throw new Error("changed my mind")
      })
      await expect(changed).rejects.toThrow("changed my mind")
      await Promise.all(["D", "E", "F"].map((name) => addTo(within, name, () => effects.push(name))))
    })
    expect(effects).toEqual(["A", "D", "E", "F"])
    expect(await namesIn(fresh.database)).toEqual(effects)
  })

  it("is all undone where the whole fails", async () => {
    const work = hold(async (within) => {
      await addTo(within, "A")
      throw new Error("changed my mind")
    })
    await expect(work).rejects.toThrow("changed my mind")
    expect(await namesIn(fresh.database)).toEqual([])
  })

  it("fails as a whole where something writes beside it, even if nobody looks", async () => {
    const work = hold(async (within) => {
      await addTo(within, "A")
      await addTo(fresh.database, "B").catch(() => {})
    })
    await expect(work).rejects.toThrow(ActsOutside)
    expect(await namesIn(fresh.database)).toEqual([])
  })

  it("writes beside it when it is over", async () => {
    const later = Promise.withResolvers<void>()
    await hold(async (within) => {
      await addTo(within, "A")
      setTimeout(() => addTo(fresh.database, "B").then(later.resolve, later.reject), 50)
    })
    await later.promise
    expect(await namesIn(fresh.database)).toEqual(["A", "B"])
  })

  it("is rolled back when it waits for something else for too long", async () => {
    const work = hold(async (within) => {
      await addTo(within, "A")
      await sleep(1_000)
    })
    await expect(work).rejects.toThrow(kind === "postgres" ? /./ : TransactionIdle)
    expect(await namesIn(fresh.database)).toEqual([])
  })

  it("is run again, with steady, where another has changed what it has read and changes", async () => {
    await addTo(fresh.database, "A")
    const seen: string[][] = []
    const renaming = (name: string) =>
      hold(
        async (within) => {
          seen.push(await namesIn(within))
          await sleep(30)
          await within.write((tx) => tx.updateTable("shelves").set({ name, lower_name: name.toLowerCase() }).execute())
        },
        { steady: true },
      )
    await Promise.all([renaming("B"), renaming("C")])
    // The one that was later has read what the other wrote.
    expect(seen.at(-1)).not.toEqual(["A"])
  })
})
