import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { longestTickOf } from "../../tests/support/ticks.ts"
import { workFor } from "./caller.ts"
import { beginWork, TooMuchWork, type Work, worksWaiting } from "./work.ts"

/** Works for some milliseconds, in pieces. */
async function toil(work: Work, ms: number): Promise<void> {
  for (let taken = 0; taken < ms; await work.step()) {
    const end = performance.now() + 1
    while (performance.now() < end);
    taken += 1
  }
}

const long = (): Work => beginWork({ what: "toil", steps: 1e9 })

describe("work on what people wrote", () => {
  it("ends at its limit, in words", async () => {
    const work = beginWork({ what: "compare the rules with the branches", steps: 10 })
    await work.step(10)
    expect(() => work.spend(1)).toThrow(TooMuchWork)
    await expect(work.step()).rejects.toThrow("it takes too much work to compare the rules with the branches; use fewer or simpler ones")
  })

  it("lets others have their turn", async () => {
    expect(await longestTickOf(() => toil(long(), 300))).toBeLessThan(60)
  })

  it("holds no one up longer when there is much of it", async () => {
    expect(await longestTickOf(() => Promise.all(Array.from({ length: 40 }, () => toil(long(), 20))))).toBeLessThan(60)
    expect(worksWaiting()).toBe(0)
  })

  it("gives each caller the same share", async () => {
    const ended: string[] = []
    const callers = [...Array.from({ length: 10 }, () => "192.0.2.1"), "192.0.2.2"]
    const toils = callers.map((address) =>
      workFor(
        address,
        () => undefined,
        async () => {
          await toil(long(), 30)
          ended.push(address)
        },
      ),
    )
    await setImmediate()
    await Promise.all(toils)
    expect(ended.indexOf("192.0.2.2")).toBeLessThan(3)
  })
})
