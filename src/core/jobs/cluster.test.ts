/** Jobs and tasks of several processes of one server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import { type FakeWorker, fakeWorkers } from "../../../tests/support/workers.ts"
import { openDatabase } from "../database/open.ts"
import { defineJob, openJobs } from "./jobs.ts"
import type { Task } from "./schedule.ts"
import { emptyJobs, named, note, silent, type World } from "./testing.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const task = (name: string): Task<World> => ({ name, run: async () => "tidied" })

describe.each(databaseKinds)("processes of one server on %s", (kind) => {
  let made: FreshDatabase
  beforeAll(async () => {
    made = await freshDatabase(kind)
  })
  afterAll(() => made.drop())
  beforeEach(() => emptyJobs(made))

  async function begin(cluster: FakeWorker, workers: number) {
    const did: string[] = []
    const database = await openDatabase({ url: made.url, migrate: false, poolSize: 3, cluster })
    closing.push(database.close)
    const jobs = openJobs<World>({ database, log: silent, workers, cluster })
    closing.push(jobs.close)
    await jobs.begin({ did }, [note, held], [task("dead"), task("alive")])
    return { database, jobs, did }
  }

  const end = Promise.withResolvers<void>()
  const held = defineJob<typeof named, World>({
    kind: "held",
    payload: named,
    async run({ name }, { context }) {
      context.did.push(name)
      await end.promise
    },
  })
  const rows = () => made.database.read.selectFrom("jobs").select(["payload", "state", "held_by"]).orderBy("id").execute()

  test("do at once what one of them had claimed when it died, and leave what the living have claimed", async () => {
    const [survivor, dead, alive] = fakeWorkers(3)
    if (!survivor || !dead || !alive) throw new Error("there are three")
    const { jobs, did } = await begin(survivor, 4)
    // As processes leave them that claimed them a moment ago.
    const until = Math.floor(Date.now() / 1000) + 30
    await made.database.write(async (tx) => {
      for (const [name, by] of [
        ["of the dead", dead],
        ["of the living", alive],
      ] as const) {
        const id = await jobs.enqueue(tx, note, { name })
        await tx
          .updateTable("jobs")
          .set({ state: "running", attempts: 1, held_until: until, held_by: by.self })
          .where("id", "=", id)
          .execute()
      }
      for (const [name, by] of Object.entries({ dead, alive }))
        await tx
          .updateTable("schedule")
          .set({ last_status: "running", held_until: until, held_by: by.self })
          .where("name", "=", name)
          .execute()
    })
    await jobs.drain()
    expect([did, await jobs.tasks.run("dead")]).toEqual([[], "busy"])
    await survivor.hearOfDeath(dead.self)
    await expect.poll(rows).toEqual([
      { payload: '{"name":"of the dead"}', state: "done", held_by: survivor.self },
      { payload: '{"name":"of the living"}', state: "running", held_by: alive.self },
    ])
    expect(did).toEqual(["of the dead"])
    expect([await jobs.tasks.run("dead"), await jobs.tasks.run("alive")]).toEqual(["ok", "busy"])
  })

  test("take what one of them has too much of, without waiting until they look by themselves", async () => {
    const [busy, idle] = fakeWorkers(2)
    if (!busy || !idle) throw new Error("there are two")
    const ours = await begin(busy, 1)
    const theirs = await begin(idle, 1)
    await Promise.all([ours.jobs.drain(), theirs.jobs.drain()])
    await ours.database.write(async (tx) => {
      for (const name of ["a", "b"]) await ours.jobs.enqueue(tx, held, { name })
    })
    await expect.poll(() => [...ours.did, ...theirs.did]).toEqual(["a", "b"])
    expect((await rows()).map(({ held_by }) => held_by)).toEqual([busy.self, idle.self])
    end.resolve()
    await expect.poll(async () => (await rows()).map(({ state }) => state)).toEqual(["done", "done"])
  })
})
