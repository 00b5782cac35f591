import { setImmediate as turnOfLoop } from "node:timers/promises"
import { afterEach, describe, expect, test, vi } from "vitest"
import { fakeWorkers } from "../../../tests/support/workers.ts"
import { NoTurn, type Turns } from "./cluster.ts"
import { openTurns } from "./turns.ts"

const LONG_MS = 60_000

/** The turns of one worker, with what it says to the supervisor. */
function openOne() {
  const said: string[] = []
  return {
    turns: openTurns((message) => said.push(message.kind === "turn.back" && message.isWanted ? "turn.back, wanted" : message.kind)),
    said,
  }
}

/** The same, while the worker writes. */
async function openHolder() {
  const { turns, said } = openOne()
  const first = turns.take(LONG_MS)
  turns.given(false)
  return { turns, said, giveBack: await first }
}

describe("a worker's turn to write", () => {
  afterEach(() => void vi.useRealTimers())

  test("is kept while no other worker asks for it", async () => {
    const { turns, said, giveBack } = await openHolder()
    await giveBack()
    for (let i = 0; i < 3; i++) await (await turns.take(LONG_MS))()
    expect(said).toEqual(["turn.wanted"])
  })

  test("is given back after the write under way when another asks, and asked for again behind it", async () => {
    const { turns, said, giveBack } = await openHolder()
    const order: string[] = []
    const second = turns.take(LONG_MS).then((give) => {
      order.push("second")
      return give()
    })
    turns.asked()
    await turnOfLoop()
    expect([said, order]).toEqual([["turn.wanted"], []])
    await giveBack()
    // The same write can't give back a turn that is another's.
    await giveBack()
    await turnOfLoop()
    expect([said, order]).toEqual([["turn.wanted", "turn.back, wanted"], []])
    turns.given(false)
    await second
    expect(order).toEqual(["second"])
  })

  test("is given back after a write during which another has asked, before anything that comes after it", async () => {
    const { turns, said, giveBack } = await openHolder()
    // What another process says is heard only when the loop looks at its sockets.
    setImmediate(() => setImmediate(() => turns.asked()))
    const second = turns.take(LONG_MS)
    await giveBack()
    expect(said).toEqual(["turn.wanted", "turn.back, wanted"])
    turns.given(false)
    await second.then((give) => give())
  })

  test("is given back after one write when another waits for it already", async () => {
    const { turns, said } = openOne()
    const first = turns.take(LONG_MS)
    turns.given(true)
    await first.then((give) => give())
    expect(said).toEqual(["turn.wanted", "turn.back"])
  })

  test("is given back at once when nothing is written, and not asked for", async () => {
    const { turns, said, giveBack } = await openHolder()
    await giveBack()
    turns.asked()
    expect(said).toEqual(["turn.wanted", "turn.back"])
    const next = turns.take(LONG_MS)
    expect(said).toEqual(["turn.wanted", "turn.back", "turn.wanted"])
    turns.given(false)
    await next.then((give) => give())
  })

  test("is waited for as long as is said, and is there for the next when it comes later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { turns, said } = openOne()
    const late = turns.take(8_000)
    vi.advanceTimersByTime(7_999)
    const settled = vi.fn()
    late.then(settled, settled)
    await turnOfLoop()
    expect(settled).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    await expect(late).rejects.toBeInstanceOf(NoTurn)
    turns.given(false)
    const giveBack = await turns.take(8_000)
    await giveBack()
    turns.asked()
    expect(said).toEqual(["turn.wanted", "turn.back"])
  })

  test("is given back when it comes for nobody any more and another waits", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { turns, said } = openOne()
    const late = turns.take(10)
    vi.advanceTimersByTime(10)
    await expect(late).rejects.toBeInstanceOf(NoTurn)
    turns.asked()
    turns.given(false)
    expect(said).toEqual(["turn.wanted", "turn.back"])
  })
})

describe("workers that write", () => {
  /** Writes so often, each time for so many turns of the event loop; `order` gets its name when a write begins. */
  async function write(turns: Turns, name: string, times: number, order: string[]): Promise<void> {
    for (let i = 0; i < times; i++) {
      const giveBack = await turns.take(LONG_MS)
      order.push(name)
      const begun = order.length
      for (let rounds = 0; rounds < 3; rounds++) await turnOfLoop()
      expect(order, "another wrote at the same time").toHaveLength(begun)
      await giveBack()
    }
  }

  test("do so one after another, each once before any does so again", async () => {
    const order: string[] = []
    const names = ["a", "b", "c"]
    const workers = fakeWorkers(3)
    await Promise.all(workers.map(({ turns }, index) => write(turns, names[index] ?? "", 20, order)))
    expect(order).toHaveLength(60)
    expect(order.join("")).toBe("abc".repeat(20))
  })

  test("let in one that writes now and then after the write under way", async () => {
    const order: string[] = []
    const [busy, other] = fakeWorkers(2)
    if (!busy || !other) throw new Error("there are two")
    const all = write(busy.turns, "b", 30, order)
    while (order.length < 10) await turnOfLoop()
    const before = order.length
    await write(other.turns, "o", 1, order)
    expect(order.indexOf("o")).toBeLessThanOrEqual(before + 1)
    await all
    expect(order).toHaveLength(31)
  })
})
