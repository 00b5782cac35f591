import { once } from "node:events"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { databaseKinds, type FreshDatabase, freshDatabase } from "../../../tests/support/database.ts"
import { type Clock, nextRun, openClock, type Task } from "./schedule.ts"
import { putDue } from "./schedule-store.ts"
import { silent } from "./testing.ts"

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closing.splice(0).reverse()) await close()
})

const at = (text: string): number => Date.parse(text) / 1000
const midnight = at("2026-03-02T00:00:00Z")

/** The names of the tasks that ran. The clock is stopped unless a test moves it. */
interface World {
  readonly ran: string[]
}

const task = (name: string, cron: string, run?: Task<World>["run"]): Task<World> => ({
  name,
  cron,
  run:
    run ??
    (async ({ ran }) => {
      ran.push(name)
      return "fine"
    }),
})

/** From here on the clock's alarms ring only when a test advances the time. */
const stopTimers = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })

async function begin(
  { database }: FreshDatabase,
  tasks: readonly Task<World>[],
  now: () => number,
  leaseSeconds = 30,
): Promise<{ clock: Clock<World>; ran: string[] }> {
  const ran: string[] = []
  const clock = openClock<World>({ database, log: silent, now, leaseSeconds, self: "clock", halted: false })
  closing.push(() => clock.close(1_000))
  await clock.begin({ ran }, tasks)
  return { clock, ran }
}

describe.each(databaseKinds)("the clock on %s", (kind) => {
  let made: FreshDatabase
  beforeAll(async () => {
    made = await freshDatabase(kind)
  })
  afterAll(() => made.drop())
  beforeEach(() => made.database.write((tx) => tx.deleteFrom("schedule").execute()))

  test("starts a task that is asked for at once, without waiting for its end, and once while it runs", async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const run: Task<World>["run"] = async ({ ran }) => {
      ran.push("long")
      await ended
      return undefined
    }
    const { clock, ran } = await begin(made, [task("long", "@annually", run)], () => midnight)
    expect(await clock.request("unknown")).toBe(false)
    for (let i = 0; i < 3; i++) expect(await clock.request("long")).toBe(true)
    expect(ran).toEqual(["long"])
    expect(await clock.list()).toMatchObject([{ lastRunAt: midnight, lastStatus: "running", runs: 0 }])
    end()
    await expect.poll(() => clock.list()).toMatchObject([{ lastStatus: "ok", runs: 1 }])
    expect(await clock.list()).toMatchObject([{ nextRunAt: at("2027-01-01T00:00:00Z") }])
    expect(ran).toEqual(["long"])
  })

  test("runs a task that was asked for after a process ended in between", async () => {
    const { name, run } = task("by-hand", "")
    const byHand = { name, run }
    const first = await begin(made, [byHand], () => midnight)
    await first.clock.close(0)
    await made.database.write((tx) => putDue(tx, { name: "by-hand", now: midnight }))
    const second = await begin(made, [byHand], () => midnight + 60)
    await expect.poll(() => second.ran).toEqual(["by-hand"])
    expect(first.ran).toEqual([])
    await expect.poll(() => second.clock.list()).toMatchObject([{ nextRunAt: 0 }])
  })

  test("runs a task at its time, and remembers it", async () => {
    stopTimers()
    let now = midnight - 1
    const { clock, ran } = await begin(made, [task("nightly", "@midnight")], () => now)
    expect(await clock.list()).toMatchObject([{ name: "nightly", nextRunAt: midnight, lastRunAt: 0, runs: 0, lastStatus: "" }])
    expect(ran).toEqual([])
    now = midnight
    vi.advanceTimersByTime(1_000)
    await expect.poll(async () => (await clock.list())[0]?.runs).toBe(1)
    expect(ran).toEqual(["nightly"])
    expect(await clock.list()).toMatchObject([{ nextRunAt: midnight + 86_400, lastStatus: "ok", lastMessage: "fine" }])
  })

  test("makes good once what was missed while nothing was up", async () => {
    await (await begin(made, [task("hourly", "@hourly")], () => midnight)).clock.close(0)
    const later = midnight + 5 * 3600 + 60
    const { clock, ran } = await begin(made, [task("hourly", "@hourly")], () => later)
    await expect.poll(() => clock.list()).toMatchObject([{ runs: 1, lastRunAt: later, nextRunAt: midnight + 6 * 3600 }])
    expect(ran).toEqual(["hourly"])
  })

  test("takes a new expression at once", async () => {
    await (await begin(made, [task("a", "@daily")], () => midnight)).clock.close(0)
    const { clock } = await begin(made, [task("a", "*/10 * * * *")], () => midnight)
    expect(await clock.list()).toMatchObject([{ cron: "*/10 * * * *", nextRunAt: midnight + 600 }])
  })

  test("of several machines lets one run each task", async () => {
    await (await begin(made, [task("a", "@hourly"), task("b", "@hourly")], () => midnight)).clock.close(0)
    const machines = await Promise.all(
      Array.from({ length: 4 }, () => begin(made, [task("a", "@hourly"), task("b", "@hourly")], () => midnight + 3600)),
    )
    await expect.poll(async () => (await machines[0]?.clock.list())?.map(({ runs }) => runs)).toEqual([1, 1])
    expect(machines.flatMap(({ ran }) => ran).sort()).toEqual(["a", "b"])
  })

  test("runs a task when asked, without moving its next time, and not twice at once", async () => {
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = task("slow", "@daily", async ({ ran }) => {
      ran.push("slow")
      await held
      return undefined
    })
    const { clock, ran } = await begin(made, [slow], () => midnight + 60)
    const other = await begin(made, [slow], () => midnight + 60)
    const asked = clock.run("slow")
    await expect.poll(() => ran).toEqual(["slow"])
    expect(await clock.run("slow")).toBe("busy")
    expect(await other.clock.run("slow")).toBe("busy")
    expect(await clock.list()).toMatchObject([{ lastStatus: "running", lastRunAt: midnight + 60, runs: 0 }])
    release()
    expect(await asked).toBe("ok")
    expect(await clock.list()).toMatchObject([{ lastStatus: "ok", runs: 1, nextRunAt: midnight + 86_400 }])
    expect([...ran, ...other.ran]).toEqual(["slow"])
    expect(await clock.run("none")).toBe("unknown")
  })

  test("keeps the error, without secrets, and goes on", async () => {
    const failing = task("failing", "@daily", async () => {
      throw new Error("no answer from https://me:hunter2@example.org")
    })
    const { clock } = await begin(made, [failing], () => midnight)
    expect(await clock.run("failing")).toBe("failed")
    expect(await clock.list()).toMatchObject([{ lastStatus: "failed", lastMessage: "no answer from https://***@example.org", runs: 1 }])
    expect(await clock.run("failing")).toBe("failed")
  })

  test("takes up a task whose machine is gone, but not one that still runs", async () => {
    const hanging = task("hanging", "@hourly", async ({ ran }, signal) => {
      ran.push("hanging")
      await once(signal, "abort")
      return undefined
    })
    stopTimers()
    let now = midnight + 60
    const first = await begin(made, [hanging], () => now, 2)
    void first.clock.run("hanging")
    await expect.poll(() => first.ran).toEqual(["hanging"])
    const schedule = () => made.database.read.selectFrom("schedule").select("held_until").executeTakeFirst()
    expect(await schedule()).toEqual({ held_until: now + 2 })
    now += 1
    vi.advanceTimersByTime(1_000)
    await expect.poll(schedule).toEqual({ held_until: now + 2 })
    // The end of its first claim.
    now += 1
    const second = await begin(made, [hanging], () => now, 2)
    expect(await second.clock.run("hanging")).toBe("busy")
    // As after a power failure: claimed, and never renewed.
    await made.database.write((tx) =>
      tx
        .updateTable("schedule")
        .set({ held_until: now, last_run_at: now - 60 })
        .execute(),
    )
    expect(await second.clock.list()).toMatchObject([{ lastStatus: "interrupted" }])
    void second.clock.run("hanging")
    await expect.poll(() => second.ran).toEqual(["hanging"])
  })

  test("interrupts a task whose claim is no longer its own, and leaves what the other writes of it", async () => {
    const ended: string[] = []
    const long = task("long", "@hourly", async ({ ran }, signal) => {
      ran.push("long")
      await once(signal, "abort")
      ended.push(signal.reason instanceof Error ? signal.reason.message : "")
      return "stopped early"
    })
    stopTimers()
    let now = midnight + 60
    const { clock, ran } = await begin(made, [long, task("short", "@hourly")], () => now, 3)
    const run = clock.run("long")
    await expect.poll(() => ran).toEqual(["long"])
    // This process did nothing for longer than its claim held, and another has claimed the task.
    now += 10
    const other = { held_until: now + 3, held_by: "other", last_run_at: now }
    await made.database.write((tx) => tx.updateTable("schedule").set(other).where("name", "=", "long").execute())
    vi.advanceTimersByTime(1_000)
    await expect.poll(() => ended).toEqual(["its claim ran out"])
    await run
    const kept = await made.database.read.selectFrom("schedule").selectAll().where("name", "=", "long").executeTakeFirst()
    expect(kept).toMatchObject({ ...other, last_status: "running", runs: 0 })
    // Others of this process go on.
    expect(await clock.run("short")).toBe("ok")
  })

  test("tells tasks to stop when the forge closes, and waits for them", async () => {
    const ended: string[] = []
    const long = task("long", "@hourly", async (_, signal) => {
      await once(signal, "abort")
      ended.push("told")
      return "stopped early"
    })
    const { clock } = await begin(made, [long], () => midnight + 60)
    const run = clock.run("long")
    await expect.poll(async () => (await clock.list())[0]?.lastStatus).toBe("running")
    await clock.close(5_000)
    expect(ended).toEqual(["told"])
    expect(await run).toBe("ok")
    expect(await clock.run("long")).toBe("unknown")
  })
})

describe("cron expressions", () => {
  test.each([
    ["*/10 * * * *", "2026-03-02T00:00:00Z", "2026-03-02T00:10:00Z"],
    ["20 3 * * *", "2026-03-02T03:20:00Z", "2026-03-03T03:20:00Z"],
    ["@midnight", "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z"],
    ["0 0 29 2 *", "2026-03-02T00:00:00Z", "2028-02-29T00:00:00Z"],
  ])("%s after %s is %s", (cron, after, next) => expect(nextRun(cron, at(after))).toBe(at(next)))

  test.each(["", "every day", "61 * * * *", "* * * * * *"])("%j is refused", (cron) => expect(() => nextRun(cron, midnight)).toThrow())
})
