import { sql } from "kysely"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { databaseKinds } from "../../../tests/support/database.ts"
import { freshHearth, type TestHearth } from "../../../tests/support/hearth.ts"
import type { Transaction } from "../database/database.ts"
import type { DomainEvent } from "./event.ts"
import { deliverEvents, type Listener } from "./events.ts"
import { pruneEvents, readLog, rebaseLog } from "./log.ts"
import { publish } from "./publish.ts"
import { BEGINNING, type Position } from "./store.ts"

const happened = (id: number): DomainEvent => ({ kind: "repository.madePublic", repository: { id }, at: 1 })

describe.each(databaseKinds)("events on %s", (kind) => {
  let forge: TestHearth
  beforeAll(async () => {
    forge = await freshHearth(kind)
  })
  afterAll(() => forge.close())
  const write = <R>(work: (tx: Transaction) => Promise<R>): Promise<R> => forge.hearth.services.database.write(work)
  const read = (after: Position = BEGINNING, limit = 100) => readLog(forge.hearth.services.database.read, after, limit)
  // Readers are behind by the longest transaction of the PostgreSQL server, to which other tests write as well: they are asked until they know.
  const stored = (after?: Position) => expect.poll(() => repositoriesIn(after))
  const repositoriesIn = async (after?: Position) => (await read(after)).map(({ repositoryId }) => repositoryId)
  beforeEach(() => write((tx) => tx.deleteFrom("events").execute()))

  describe("are delivered", () => {
    const listenersOf = (heard: string[], last: Listener["hear"]): readonly Listener[] => [
      { name: "first", hear: async ({ events }) => void heard.push(`first ${events.length}`) },
      { name: "last", hear: last },
    ]
    const deliver = (listeners: readonly Listener[], ...events: readonly DomainEvent[]) =>
      write(async (tx) => {
        publish(tx, ...events)
        await deliverEvents(tx, forge.hearth.services, listeners)
      })

    test("all of a transaction together, to each listener in turn", async () => {
      const heard: string[] = []
      await deliver(
        listenersOf(heard, async ({ events }) => void heard.push(`last ${events.length}`)),
        happened(1),
        happened(2),
      )
      expect(heard).toEqual(["first 2", "last 2"])
    })
    test("to all listeners again if one publishes", async () => {
      const heard: string[] = []
      const answering = listenersOf(heard, async ({ tx, events }) => {
        if (events.some((event) => "repository" in event && event.repository.id === 1)) publish(tx, happened(2))
      })
      await deliver(answering, happened(1))
      expect(heard).toEqual(["first 1", "first 1"])
      await stored().toEqual([1, 2])
    })
    test("not in a circle: the transaction fails, and nothing of it is kept", async () => {
      const circle = listenersOf([], async ({ tx }) => publish(tx, happened(3)))
      await expect(deliver(circle, happened(3))).rejects.toThrow("publish in a circle")
      expect(await read()).toEqual([])
    })
    test("in the transaction: what a listener throws rolls the change back", async () => {
      const failing = listenersOf([], async () => {
        throw new Error("no")
      })
      const failed = write(async (tx) => {
        await tx.updateTable("users").set({ description: "changed" }).where("id", "=", 1).execute()
        publish(tx, happened(1))
        await deliverEvents(tx, forge.hearth.services, failing)
      })
      await expect(failed).rejects.toThrow("no")
      expect((await forge.call(forge.root, "GET /user")).body.description).toBe("")
    })
  })

  describe("are written down", () => {
    test("by every transaction that publishes, and by none that is rolled back", async () => {
      await write(async (tx) => publish(tx, happened(1), happened(2)))
      const failed = write(async (tx) => {
        publish(tx, happened(3))
        throw new Error("no")
      })
      await expect(failed).rejects.toThrow("no")
      await write(async (tx) => publish(tx, happened(4)))
      await stored().toEqual([1, 2, 4])
    })
    test("with ids in the place of rows, and without texts", async () => {
      const ada = await forge.person("ada")
      await forge.call(ada, "POST /user/repos", { name: "tool", auto_init: false })
      await forge.call(ada, "POST /repos/ada/tool/issues", { title: "a secret", body: "of ours" })
      const find = async () => (await read()).find((event) => event.kind === "issue.opened")
      await expect.poll(find).toBeDefined()
      const opened = await find()
      expect(opened).toMatchObject({ kind: "issue.opened", data: { mentioned: [] } })
      expect(opened?.actorId).toBeGreaterThan(0)
      expect(opened?.issueId).toBeGreaterThan(0)
      expect(opened?.repositoryId).toBeGreaterThan(0)
      await forge.call(ada, "PATCH /repos/ada/tool/issues/1", { title: "another secret" })
      await forge.call(ada, "POST /repos/ada/tool/issues/1/comments", { body: "of ours as well" })
      await forge.call(ada, "PUT /repos/ada/tool/issues/1/lock", { lock_reason: "a secret reason" })
      await forge.call(ada, "POST /repos/ada/tool/contents/a.txt", { content: "", message: "a secret change" })
      await expect.poll(async () => (await read()).map((event) => event.kind)).toContain("reference.created")
      expect(JSON.stringify(await read())).not.toMatch(/secret|ours|@/)
    })
    test("once each to a reader that continues from its position", async () => {
      await write(async (tx) => publish(tx, happened(1), happened(2), happened(3)))
      await stored().toEqual([1, 2, 3])
      const first = await read(BEGINNING, 2)
      expect(first.map(({ repositoryId }) => repositoryId)).toEqual([1, 2])
      await stored(first.at(-1)?.position).toEqual([3])
    })
    test("until their time is over", async () => {
      const { services } = forge.hearth
      const old = services.now() - services.config.events.keepSeconds - 1
      await write(async (tx) => publish(tx, happened(1), { ...happened(2), at: services.now() }))
      await write((tx) => tx.updateTable("events").set({ created_at: old }).where("repository_id", "=", 1).execute())
      expect(await pruneEvents.run(services, AbortSignal.timeout(60_000))).toBe("1 removed")
      await stored().toEqual([2])
    })
  })

  // SQLite has one writer and never restarts its numbering.
  if (kind === "sqlite") return

  test("a later one is not visible before an earlier one that is still being written", async () => {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    // It gets its transaction id first and commits last.
    const slow = write(async (tx) => {
      await tx.updateTable("users").set({ description: "" }).where("id", "=", 1).execute()
      begun.resolve()
      const held = setInterval(() => sql`select 1`.execute(tx), 100)
      await goOn.promise
      clearInterval(held)
      publish(tx, happened(1))
    })
    await begun.promise
    await write(async (tx) => publish(tx, happened(2)))
    expect(await read()).toEqual([])
    goOn.resolve()
    await slow
    await stored().toEqual([1, 2])
  })

  test("those of a database that was restored elsewhere stand before all new ones", async () => {
    await write(async (tx) => publish(tx, happened(1)))
    await write((tx) =>
      tx
        .updateTable("events")
        .set({ transaction_id: 2 ** 40 })
        .execute(),
    )
    await rebaseLog(forge.hearth.services)
    await write(async (tx) => publish(tx, happened(2)))
    await stored().toEqual([1, 2])
  })
})
