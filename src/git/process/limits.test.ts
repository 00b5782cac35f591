import { describe, expect, test } from "vitest"
import { type Caller, createLimiter, ownCaller } from "./limits.ts"
import { createShared } from "./shared.ts"

const person = (account: string, address = `of ${account}`): Caller => ({ account, address, signal: undefined })
const stranger = (address: string): Caller => ({ account: undefined, address, signal: undefined })
const limits = { name: "test", total: 8, perRepository: 8, queue: 40, waitMs: 60_000 }

/** How many of these callers get a permit at once. */
async function granted(limiter: ReturnType<typeof createLimiter>, callers: readonly Caller[], repository = "r"): Promise<number> {
  const before = limiter.state().active
  for (const caller of callers) limiter.acquire(repository, { caller }).catch(() => undefined)
  await Promise.resolve()
  return limiter.state().active - before
}

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value)

describe("the limiter", () => {
  test("gives turns in order, lets others pass one whose repository is full, and counts well", async () => {
    const limiter = createLimiter({ ...limits, total: 2, perRepository: 1 })
    const order: string[] = []
    const first = await limiter.acquire("a")
    const waiting = ["a", "b", "c"].map(async (key) => {
      const release = await limiter.acquire(key)
      order.push(key)
      return release
    })
    const b = await waiting[1]
    expect([order, limiter.state()]).toEqual([["b"], { name: "test", total: 2, active: 2, waiting: 2, refused: 0 }])
    first()
    first()
    await waiting[0]
    expect(order).toEqual(["b", "a"])
    b?.()
    await waiting[2]
    for (const release of await Promise.all(waiting)) release()
    expect([order, limiter.state()]).toEqual([["b", "a", "c"], { name: "test", total: 2, active: 0, waiting: 0, refused: 0 }])
  })

  test("refuses when the queue is full, the wait is over or the caller gives up", async () => {
    const limiter = createLimiter({ ...limits, total: 1, queue: 1, waitMs: 30 })
    const release = await limiter.acquire("a")
    const late = limiter.acquire("a")
    await expect(limiter.acquire("a")).rejects.toMatchObject({ kind: "busy" })
    await expect(late).rejects.toMatchObject({ kind: "busy" })
    const abort = new AbortController()
    const given = limiter.acquire("a", { signal: abort.signal })
    abort.abort()
    await expect(given).rejects.toMatchObject({ kind: "aborted" })
    release()
    expect(limiter.state()).toMatchObject({ active: 0, waiting: 0, refused: 2 })
  })

  test("gives this process's part of the permits, which changes as others come and go", async () => {
    let processes = 4
    const limiter = createLimiter({ ...limits, perRepository: 80, share: (total) => Math.ceil(total / processes) })
    expect(
      await granted(
        limiter,
        ["a", "b", "c"].map((name) => person(name)),
      ),
    ).toBe(2)
    expect(limiter.state()).toMatchObject({ total: 2, waiting: 1 })
    processes = 1
    expect(await granted(limiter, times(10, ownCaller))).toBeGreaterThan(2)
    expect(limiter.state().total).toBe(8)
  })

  test("leaves permits to others: of an account, an address, strangers, the service, a repository", async () => {
    expect(await granted(createLimiter(limits), times(20, person("ann")))).toBe(4)
    expect(await granted(createLimiter(limits), times(20, stranger("1.1.1.1")))).toBe(4)
    expect(
      await granted(
        createLimiter(limits),
        [..."abcdefgh"].map((name) => person(name, "1.1.1.1")),
      ),
    ).toBe(6)
    expect(await granted(createLimiter(limits), [..."abcdefgh"].map(stranger))).toBe(6)
    expect(await granted(createLimiter(limits), times(20, ownCaller))).toBe(6)
    expect(
      await granted(
        createLimiter({ ...limits, perRepository: 3 }),
        [..."abcdefgh"].map((name) => person(name)),
      ),
    ).toBe(3)
    expect(
      await granted(
        createLimiter(limits),
        [..."abcdefgh"].map((name) => person(name)),
      ),
    ).toBe(8)
  })

  test("serves the caller first that holds the least", async () => {
    const limiter = createLimiter({ ...limits, total: 4 })
    const held = await Promise.all(["ann", "ann", "ben", "cem"].map((name) => limiter.acquire("r", { caller: person(name) })))
    const order: string[] = []
    const waiting = ["ben", "ben", "eve"].map(async (name) => {
      const release = await limiter.acquire("r", { caller: person(name) })
      order.push(name)
      return release
    })
    for (const release of held) {
      release()
      await new Promise(setImmediate)
    }
    await Promise.all(waiting)
    expect(order).toEqual(["eve", "ben", "ben"])
  })

  test("lets one caller fill a quarter of the queue", async () => {
    const limiter = createLimiter({ ...limits, total: 1, queue: 8 })
    await limiter.acquire("r", { caller: person("ann") })
    for (const caller of times(6, person("ann"))) limiter.acquire("r", { caller }).catch(() => undefined)
    await expect(limiter.acquire("r", { caller: person("ann") })).rejects.toMatchObject({ kind: "busy" })
    expect(limiter.state().waiting).toBe(2)
    limiter.acquire("r", { caller: person("ben") }).catch(() => undefined)
    expect(limiter.state().waiting).toBe(3)
  })
})

describe("shared work", () => {
  test("is done once for all who ask meanwhile, and again afterwards", async () => {
    const shared = createShared<number>()
    let runs = 0
    const work = async () => {
      await new Promise(setImmediate)
      return ++runs
    }
    expect(
      await Promise.all([shared.run("a", undefined, work), shared.run("a", undefined, work), shared.run("b", undefined, work)]),
    ).toEqual([1, 1, 2])
    expect(await shared.run("a", undefined, work)).toBe(3)
  })

  test("goes on while one caller is left, and is aborted when none is", async () => {
    const shared = createShared<string>()
    const begun: AbortSignal[] = []
    const finish: (() => void)[] = []
    const work = (signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        begun.push(signal)
        finish.push(() => resolve("done"))
        signal.addEventListener("abort", () => reject(new Error("aborted")))
      })
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
    const left = shared.run("a", first.signal, work)
    const stays = shared.run("a", second.signal, work)
    first.abort()
    await expect(left).rejects.toMatchObject({ kind: "aborted" })
    expect(begun[0]?.aborted).toBe(false)
    finish[0]?.()
    expect(await stays).toBe("done")
    const alone = shared.run("a", third.signal, work)
    third.abort()
    await expect(alone).rejects.toMatchObject({ kind: "aborted" })
    expect(begun[1]?.aborted).toBe(true)
    await expect(shared.run("a", third.signal, work)).rejects.toMatchObject({ kind: "aborted" })
    expect(begun).toHaveLength(2)
  })
})
