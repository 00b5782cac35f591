import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { allStatementsOf, databaseKinds, type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import { openDatabase } from "../database/open.ts"
import { defineJob, GiveUp, type JobDefinition, type JobsOptions, NotYet, type OpenJobs, openJobs } from "./jobs.ts"
import type { Task } from "./schedule.ts"
import { emptyJobs, named, note, silent, type World } from "./testing.ts"
import { retryDelay } from "./workers.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closing.splice(0).reverse()) await close()
})

/** From here on the workers' alarms ring only when a test advances the time. */
const stopTimers = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })

async function begin(
  { database }: Pick<FreshDatabase, "database">,
  definitions: readonly JobDefinition<typeof named, World>[],
  options: Partial<JobsOptions> = {},
): Promise<{ jobs: OpenJobs<World>; did: string[] }> {
  const did: string[] = []
  const jobs = openJobs<World>({ database, log: silent, workers: 4, ...options })
  closing.push(jobs.close)
  await jobs.begin({ did }, definitions, [])
  return { jobs, did }
}

const rows = ({ database }: FreshDatabase) => database.read.selectFrom("jobs").selectAll().orderBy("id").execute()

describe.each(databaseKinds)("jobs on %s", (kind) => {
  let made: FreshDatabase
  beforeAll(async () => {
    made = await freshDatabase(kind)
  })
  afterAll(() => made.drop())
  beforeEach(() => emptyJobs(made))

  test("are done after the commit, without being asked", async () => {
    const { jobs, did } = await begin(made, [note])
    await made.database.write(async (tx) => {
      await jobs.enqueue(tx, note, { name: "a" })
      await jobs.enqueue(tx, note, { name: "b" })
      expect(did).toEqual([])
    })
    await expect.poll(async () => (await rows(made)).map(({ state }) => state)).toEqual(["done", "done"])
    expect(did.sort()).toEqual(["a", "b"])
  })

  test("are forgotten with a transaction that is rolled back", async () => {
    const { jobs, did } = await begin(made, [note])
    const write = made.database.write(async (tx) => {
      await jobs.enqueue(tx, note, { name: "a" })
      throw new Error("changed its mind")
    })
    await expect(write).rejects.toThrow("changed its mind")
    await jobs.drain()
    expect(did).toEqual([])
    expect(await rows(made)).toEqual([])
  })

  test("with a payload that doesn't fit are refused before anything is stored", async () => {
    const { jobs } = await begin(made, [note])
    const wrong = JSON.parse('{"name":3}')
    await expect(made.database.write((tx) => jobs.enqueue(tx, note, wrong))).rejects.toThrow(/not a payload of the job note: \/name /)
    expect(await rows(made)).toEqual([])
  })

  test("wait for their time", async () => {
    let now = 1_000
    const { jobs, did } = await begin(made, [note], { now: () => now })
    await made.database.write((tx) => jobs.enqueue(tx, note, { name: "later" }, { runAt: 1_060 }))
    await jobs.drain()
    expect(did).toEqual([])
    now = 1_060
    await jobs.drain()
    expect(did).toEqual(["later"])
  })

  test("that fail are tried again later and later, then kept as failed, with the reason but without secrets", async () => {
    let now = 1_000
    const attempts: boolean[] = []
    const failing = defineJob<typeof named, World>({
      kind: "failing",
      payload: named,
      attempts: 3,
      async run(_, { attempt, isLast }) {
        attempts.push(isLast)
        throw new Error(`no answer from https://me:hunter2@example.org (${attempt})`)
      },
    })
    const results: string[] = []
    const metrics = { observeJob: (...end: readonly unknown[]) => results.push(end.slice(0, 2).join(" ")), countJobs: () => {} }
    const { jobs } = await begin(made, [failing], { now: () => now, metrics })
    await made.database.write((tx) => jobs.enqueue(tx, failing, { name: "a" }))
    const waits: number[] = []
    for (;;) {
      await jobs.drain()
      const [row] = await rows(made)
      if (row?.state !== "waiting") break
      waits.push(row.run_at - now)
      now = row.run_at
    }
    expect(waits).toHaveLength(2)
    expect(waits[0]).toBeGreaterThanOrEqual(5)
    expect(waits[1]).toBeLessThanOrEqual(20)
    expect(await rows(made)).toMatchObject([{ state: "failed", attempts: 3, finished_at: now, held_until: 0 }])
    expect((await rows(made))[0]?.last_error).toBe("no answer from https://***@example.org (3)")
    expect(attempts).toEqual([false, false, true])
    expect(results).toEqual(["failing retried", "failing retried", "failing failed"])
    expect(await jobs.counts()).toEqual([{ kind: "failing", state: "failed", count: 1 }])
  })

  test("that give up, or that this version can't read, aren't tried again", async () => {
    const hopeless = defineJob<typeof named, World>({
      kind: "hopeless",
      payload: named,
      async run() {
        throw new GiveUp("the address is gone")
      },
    })
    const { jobs } = await begin(made, [hopeless, note])
    await made.database.write(async (tx) => {
      await jobs.enqueue(tx, hopeless, { name: "a" })
      const id = await jobs.enqueue(tx, note, { name: "b" })
      await tx.updateTable("jobs").set({ payload: '{"title":"b"}' }).where("id", "=", id).execute()
    })
    await jobs.drain()
    const [gone, unreadable] = await rows(made)
    expect(gone).toMatchObject({ state: "failed", attempts: 1, last_error: "the address is gone" })
    expect(unreadable).toMatchObject({ state: "failed", attempts: 1 })
    expect(unreadable?.last_error).toContain("this version can't read the payload")
  })

  test("whose time hasn't come are put off, and that try doesn't count", async () => {
    let now = 1_000
    const early = defineJob<typeof named, World>({
      kind: "early",
      payload: named,
      attempts: 1,
      async run({ name }, { context }) {
        if (now < 1_060) throw new NotYet("not before noon", 1_060)
        context.did.push(name)
      },
    })
    const { jobs, did } = await begin(made, [early], { now: () => now })
    await made.database.write((tx) => jobs.enqueue(tx, early, { name: "a" }))
    await jobs.drain()
    expect(did).toEqual([])
    expect(await rows(made)).toMatchObject([{ state: "waiting", attempts: 0, run_at: 1_060, last_error: "not before noon" }])
    now = 1_060
    await jobs.drain()
    expect(did).toEqual(["a"])
    expect(await rows(made)).toMatchObject([{ state: "done", attempts: 1 }])
  })

  test("of a kind that this version doesn't know stay for one that does", async () => {
    const { jobs } = await begin(made, [])
    await made.database.write((tx) => jobs.enqueue(tx, note, { name: "a" }))
    await jobs.drain()
    expect(await rows(made)).toMatchObject([{ state: "waiting", attempts: 1, last_error: "this version knows no job of this kind" }])
  })

  test("that take too long are aborted, and count as failed", async () => {
    let told: unknown
    const slow = defineJob<typeof named, World>({
      kind: "slow",
      payload: named,
      timeoutSeconds: 0.05,
      async run(_, { signal }) {
        await sleep(10_000, undefined, { signal }).catch(() => {
          told = signal.reason
        })
      },
    })
    const { jobs } = await begin(made, [slow])
    await made.database.write((tx) => jobs.enqueue(tx, slow, { name: "a" }))
    await jobs.drain()
    expect(told).toEqual(new Error("it took longer than 0.05 s"))
    expect(await rows(made)).toMatchObject([{ state: "waiting", attempts: 1, last_error: "it took longer than 0.05 s" }])
  })

  test("run no more at once than there are workers", async () => {
    const full = Promise.withResolvers<void>()
    let inside = 0
    let most = 0
    const counting = defineJob<typeof named, World>({
      kind: "counting",
      payload: named,
      async run() {
        most = Math.max(most, ++inside)
        if (inside === 3) full.resolve()
        await full.promise
        await turn()
        inside--
      },
    })
    const { jobs } = await begin(made, [counting], { workers: 3 })
    await made.database.write(async (tx) => {
      for (let i = 0; i < 20; i++) await jobs.enqueue(tx, counting, { name: `${i}` })
    })
    await jobs.drain()
    expect((await rows(made)).every(({ state, attempts }) => state === "done" && attempts === 1)).toBe(true)
    expect(most).toBe(3)
  })

  test("are held while they run, and never run twice meanwhile", async () => {
    const end = Promise.withResolvers<void>()
    const long = defineJob<typeof named, World>({
      kind: "long",
      payload: named,
      async run({ name }, { context }) {
        context.did.push(name)
        await end.promise
      },
    })
    stopTimers()
    let now = 1_000
    const options = { leaseSeconds: 2, now: () => now }
    const first = await begin(made, [long], options)
    const second = await begin(made, [long], options)
    await made.database.write((tx) => first.jobs.enqueue(tx, long, { name: "a" }))
    const heldUntil = async () => (await rows(made))[0]?.held_until
    await expect.poll(heldUntil).toBe(1_002)
    now = 1_001
    vi.advanceTimersByTime(1_000)
    await expect.poll(heldUntil).toBe(1_003)
    // It is still claimed at the end of its first claim.
    now = 1_002
    await second.jobs.drain()
    expect(second.did).toEqual([])
    end.resolve()
    await Promise.all([first.jobs.drain(), second.jobs.drain()])
    expect([...first.did, ...second.did]).toEqual(["a"])
    expect(await rows(made)).toMatchObject([{ state: "done", attempts: 1 }])
  })

  test("interrupted by a close are put back, and that try doesn't count", async () => {
    const polite = defineJob<typeof named, World>({
      kind: "polite",
      payload: named,
      run: (_, { signal }) => sleep(60_000, undefined, { signal }),
    })
    const deaf = defineJob<typeof named, World>({ kind: "deaf", payload: named, run: () => new Promise(() => {}) })
    const { jobs } = await begin(made, [polite, deaf], { gracePeriodMs: 20 })
    await made.database.write(async (tx) => {
      await jobs.enqueue(tx, polite, { name: "a" })
      await jobs.enqueue(tx, deaf, { name: "b" })
    })
    await expect.poll(async () => (await rows(made)).map(({ state }) => state)).toEqual(["running", "running"])
    await jobs.close()
    expect(await rows(made)).toMatchObject([
      { state: "waiting", attempts: 0, held_until: 0 },
      { state: "waiting", attempts: 0, held_until: 0 },
    ])
  })

  test("that end while the service closes are waited for", async () => {
    const end = Promise.withResolvers<void>()
    const brief = defineJob<typeof named, World>({ kind: "brief", payload: named, run: () => end.promise })
    const { jobs } = await begin(made, [brief])
    await made.database.write((tx) => jobs.enqueue(tx, brief, { name: "a" }))
    await expect.poll(async () => (await rows(made))[0]?.state).toBe("running")
    const closing = jobs.close()
    end.resolve()
    await closing
    expect(await rows(made)).toMatchObject([{ state: "done", attempts: 1 }])
  })

  test("whose process ends during every try are given up in the end", async () => {
    const { jobs, did } = await begin(made, [note])
    await made.database.write(async (tx) => {
      const id = await jobs.enqueue(tx, note, { name: "a" })
      await tx.updateTable("jobs").set({ state: "running", attempts: 8, held_until: 1, last_error: "" }).where("id", "=", id).execute()
    })
    await jobs.drain()
    expect(did).toEqual([])
    expect(await rows(made)).toMatchObject([{ state: "failed", last_error: "the process ended during its last try" }])
  })

  test("of a process that was killed are taken up at once by one that is alone on the database, and not by another", async () => {
    const tidy: Task<World> = { name: "tidy", run: async () => "tidied" }
    const open = async (alone: boolean) => {
      const did: string[] = []
      const jobs = openJobs<World>({ database: made.database, log: silent, workers: 4, alone })
      closing.push(jobs.close)
      await jobs.begin({ did }, [note], [tidy])
      await jobs.drain()
      return { jobs, did }
    }
    const { jobs } = await open(false)
    await made.database.write((tx) => jobs.enqueue(tx, note, { name: "a" }))
    await jobs.drain()
    await jobs.close()
    // As a killed process leaves them.
    const later = Math.floor(Date.now() / 1000) + 30
    await made.database.write(async (tx) => {
      await tx.updateTable("jobs").set({ state: "running", held_until: later, finished_at: 0 }).execute()
      await tx.updateTable("schedule").set({ last_status: "running", held_until: later }).execute()
    })
    const other = await open(false)
    expect(other.did).toEqual([])
    expect(await other.jobs.tasks.run("tidy")).toBe("busy")
    await other.jobs.close()
    const alone = await open(true)
    expect(alone.did).toEqual(["a"])
    expect(await rows(made)).toMatchObject([{ state: "done", attempts: 2 }])
    expect(await alone.jobs.tasks.list()).toMatchObject([{ lastStatus: "interrupted" }])
    expect(await alone.jobs.tasks.run("tidy")).toBe("ok")
  })

  /** The statements of the workers while `work` is done. */
  const statementsOf = async (work: () => Promise<unknown>) =>
    (await allStatementsOf(made.database, work)).flatMap(({ name }) => (name?.startsWith("jobs.") ? [name] : []))
  const LOOK = ["jobs.findDue", "jobs.findNextWaiting", "jobs.findNextLapse"]

  test("cost nothing while there are none: three statements a minute", async () => {
    stopTimers()
    const { jobs } = await begin(made, [note])
    await jobs.drain()
    // A look that began meanwhile would make it two: a look during another one causes a further one.
    const lookAfter = (milliseconds: number) =>
      statementsOf(async () => {
        vi.advanceTimersByTime(milliseconds)
        await jobs.drain()
      })
    expect(await lookAfter(59_999)).toEqual(LOOK)
    expect(await lookAfter(60_000)).toEqual([...LOOK, ...LOOK])
  })

  test("for later cost no look until then, and are done then without being asked for", async () => {
    stopTimers()
    let now = 1_000
    const { jobs, did } = await begin(made, [note], { now: () => now })
    await jobs.drain()
    const statements = await statementsOf(async () => {
      await made.database.write((tx) => jobs.enqueue(tx, note, { name: "later" }, { runAt: 1_005 }))
      vi.advanceTimersByTime(4_999)
      // Were there a look, it would be in front of this.
      await made.database.write((tx) => tx.selectFrom("jobs").select("id").execute())
      now = 1_005
      vi.advanceTimersByTime(1)
      await expect.poll(() => did).toEqual(["later"])
    })
    expect(statements.slice(0, 3)).toEqual(["jobs.insert", "jobs.findDue", "jobs.claim"])
  })

  test("of several servers are each done once", async () => {
    const names = Array.from({ length: 80 }, (_, index) => `job-${index}`)
    const servers = await Promise.all(
      [1, 2].map(async () => {
        const database = await openDatabase({ url: made.url, migrate: false, poolSize: 3 })
        closing.push(database.close)
        return begin({ database }, [note], { workers: 2 })
      }),
    )
    const ours = openJobs<World>({ database: made.database, log: silent, workers: 1 })
    closing.push(ours.close)
    await made.database.write(async (tx) => {
      for (const name of names) await ours.enqueue(tx, note, { name })
    })
    // On SQLite they can't be woken from outside.
    if (kind === "sqlite") await Promise.all(servers.map(({ jobs }) => jobs.drain()))
    await expect.poll(async () => (await rows(made)).every(({ state }) => state === "done")).toBe(true)
    expect(servers.flatMap(({ did }) => did).sort()).toEqual(names.sort())
  })
})

test("retries spread: 10, 20, 40 seconds … up to an hour, less up to half of that", () => {
  expect([1, 2, 3, 9, 10, 50].map((attempt) => retryDelay(attempt, 0))).toEqual([10, 20, 40, 2560, 3600, 3600])
  expect([1, 2, 50].map((attempt) => retryDelay(attempt, 1))).toEqual([5, 10, 1800])
})
