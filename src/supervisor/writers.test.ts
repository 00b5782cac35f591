import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createWriters } from "./writers.ts"

function openWriters() {
  const said: string[] = []
  const writers = createWriters<string>({
    give: (worker, isAsked) => said.push(`give ${worker}${isAsked ? ", asked" : ""}`),
    ask: (worker) => said.push(`ask ${worker}`),
  })
  /** What was said since this was last asked. */
  const heard = (): readonly string[] => said.splice(0)
  return { writers, heard }
}

describe("the turn to write", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  test("is given in the order in which workers asked, and its holder is asked once", () => {
    const { writers, heard } = openWriters()
    writers.want("a")
    expect(heard()).toEqual(["give a"])
    writers.want("b")
    writers.want("c")
    writers.want("b")
    writers.want("a")
    expect(heard()).toEqual(["ask a"])
    writers.giveBack("a", true)
    expect(heard()).toEqual(["give b, asked"])
    writers.giveBack("b", false)
    expect(heard()).toEqual(["give c, asked"])
    writers.giveBack("c", false)
    expect(heard()).toEqual(["give a"])
  })

  test("is nobody's when it is given back and none waits, and is given back by its holder alone", () => {
    const { writers, heard } = openWriters()
    writers.want("a")
    writers.giveBack("b", false)
    writers.want("b")
    expect(heard()).toEqual(["give a", "ask a"])
    writers.giveBack("a", false)
    writers.giveBack("b", false)
    expect(heard()).toEqual(["give b"])
    writers.want("c")
    expect(heard()).toEqual(["give c"])
  })

  test("passes on from a holder that has ended, and past one that has ended while it waited", () => {
    const { writers, heard } = openWriters()
    for (const worker of ["a", "b", "c", "d"]) writers.want(worker)
    writers.forget("b")
    expect(heard()).toEqual(["give a", "ask a"])
    writers.forget("a")
    expect(heard()).toEqual(["give c, asked"])
    writers.forget("d")
    writers.giveBack("c", false)
    expect([heard(), writers.overdue()]).toEqual([[], undefined])
  })

  test("is overdue since its holder was asked for it, and not while none waits", () => {
    const { writers } = openWriters()
    expect(writers.overdue()).toBeUndefined()
    writers.want("a")
    vi.advanceTimersByTime(5_000)
    expect(writers.overdue()).toBeUndefined()
    writers.want("b")
    const since = performance.now()
    vi.advanceTimersByTime(5_000)
    writers.want("c")
    expect(writers.overdue()).toEqual({ worker: "a", since })
    writers.giveBack("a", false)
    expect(writers.overdue()).toEqual({ worker: "b", since: since + 5_000 })
    writers.giveBack("b", false)
    expect(writers.overdue()).toBeUndefined()
  })
})
