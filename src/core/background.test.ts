import { expect, test } from "vitest"
import { createBackground } from "./background.ts"
import { currentCaller, identifyCaller, workFor } from "./caller.ts"

const open = (perLane = 2, total = 3) => {
  const errors: unknown[] = []
  const ends: (() => void)[] = []
  const begun: string[] = []
  const background = createBackground({ perLane, total, timeoutMs: 60_000, onError: (error) => errors.push(error) })
  const begin = (lane: string, key: string) =>
    background.begin(lane, key, async () => {
      begun.push(key)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
  return { background, begin, begun, ends, errors }
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test("one at a time in a lane, the same once, and no more than may wait", async () => {
  const { begin, begun, ends } = open()
  const first = begin("a", "1")
  const second = begin("a", "2")
  expect(begin("a", "1")).toBe(first)
  expect(begin("a", "3")).toBeUndefined()
  expect(begin("b", "4")).toBeDefined()
  expect(begin("c", "5")).toBeUndefined()
  await turn()
  expect(begun).toEqual(["1", "4"])
  ends.shift()?.()
  await first
  await turn()
  expect(begun).toEqual(["1", "4", "2"])
  expect(begin("a", "1")).toBeDefined()
  for (const end of ends) end()
  await second
})

test("a failure is told, and holds up nothing", async () => {
  const { background, errors } = open()
  const failed = background.begin("a", "1", () => Promise.reject(new Error("no")))
  let isDone = false
  const next = background.begin("a", "2", async () => {
    isDone = true
  })
  await Promise.all([failed, next])
  expect([isDone, errors]).toEqual([true, [new Error("no")]])
})

test("it counts to the caller, and goes on when the caller is gone", async () => {
  const { background } = open()
  const gone = AbortSignal.abort()
  let seen: unknown
  await workFor(
    "10.0.0.1",
    () => gone,
    () => {
      identifyCaller(7)
      return background.begin("a", "1", async (signal) => {
        await turn()
        const { account, address, signal: of } = currentCaller()
        seen = [account, address, of, signal.aborted]
      })
    },
  )
  expect(seen).toEqual(["7", "10.0.0.1", undefined, false])
})
