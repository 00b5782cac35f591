import { setImmediate as endOfTurn } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { openLog } from "./log.ts"
import { openLogOutput } from "./log-output.ts"

/** A pipe that takes this many bytes before it is full. */
function openPipe() {
  const pipe = { room: 0, text: "" }
  const send = (bytes: Uint8Array): number => {
    if (pipe.room === 0) throw Object.assign(new Error("full"), { code: "EAGAIN" })
    const taken = bytes.subarray(0, pipe.room)
    pipe.room -= taken.length
    pipe.text += Buffer.from(taken).toString("latin1")
    return taken.length
  }
  return { pipe, send }
}

describe("an output that is full", () => {
  const exits = process.listenerCount("exit")
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => vi.useRealTimers())

  test("keeps lines, whole and in order, and writes them when the pipe has space", async () => {
    const { pipe, send } = openPipe()
    const output = openLogOutput({ send })
    pipe.room = 4
    for (const line of ["one\n", "two\n", "three\n"]) output.write(line)
    expect(pipe.text).toBe("one\n")
    await endOfTurn()
    pipe.room = 6
    vi.advanceTimersByTime(100)
    expect(pipe.text).toBe("one\ntwo\nth")
    output.write("four\n")
    pipe.room = 100
    vi.advanceTimersByTime(100)
    expect(pipe.text).toBe("one\ntwo\nthree\nfour\n")
    expect(output.dropped()).toBe(0)
  })

  test("drops lines beyond the limit, counts them, and reports that once lines can be written again", async () => {
    const { pipe, send } = openPipe()
    const output = openLogOutput({ send, limit: 300 })
    const log = openLog({ log: { level: "info", format: "json" } }, output)
    for (let line = 0; line < 10; line++) log.info("x".repeat(50))
    expect(output.dropped()).toBeGreaterThan(5)
    pipe.room = 10_000
    vi.advanceTimersByTime(100)
    await endOfTurn()
    const lines = pipe.text.trim().split("\n")
    expect(lines).toHaveLength(10 - output.dropped() + 1)
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ level: "warn", lines: output.dropped() })
    await endOfTurn()
    log.info("once")
    vi.advanceTimersByTime(100)
    await endOfTurn()
    expect(pipe.text.trim().split("\n")).toHaveLength(lines.length + 1)
  })

  test("holds a timer and a listener only meanwhile", () => {
    const { pipe, send } = openPipe()
    const output = openLogOutput({ send })
    output.write("one\n")
    expect([vi.getTimerCount(), process.listenerCount("exit")]).toEqual([1, exits + 1])
    pipe.room = 100
    vi.advanceTimersByTime(100)
    expect([vi.getTimerCount(), process.listenerCount("exit")]).toEqual([0, exits])
  })
})

describe("a last line", () => {
  test("is waited for, and not for ever", () => {
    const { pipe, send } = openPipe()
    let refusals = 0
    const slowly = (bytes: Uint8Array): number => {
      if (++refusals === 5) pipe.room = 100_000
      return send(bytes)
    }
    const log = openLog({ log: { level: "info", format: "json" } }, openLogOutput({ send: slowly }))
    log.info("before")
    log.fatal("the end")
    expect(pipe.text.trim().split("\n")).toHaveLength(2)
    const stuck = openLogOutput({ send: openPipe().send })
    stuck.write("lost\n")
    stuck.flush()
    expect(stuck.dropped()).toBe(0)
  })
})

test("writes the first line of a turn at once, and those that follow together at its end", async () => {
  // Of the tests before.
  await endOfTurn()
  const sent: string[] = []
  const output = openLogOutput({
    send: (bytes) => {
      sent.push(Buffer.from(bytes).toString())
      return bytes.length
    },
  })
  const exits = process.listenerCount("exit")
  for (const line of ["one\n", "two\n", "three\n"]) output.write(line)
  expect([sent, process.listenerCount("exit")]).toEqual([["one\n"], exits + 1])
  await endOfTurn()
  expect([sent, process.listenerCount("exit")]).toEqual([["one\n", "two\nthree\n"], exits])
})

test("an output whose reader is gone drops lines, and goes on", () => {
  const output = openLogOutput({
    send: () => {
      throw Object.assign(new Error("gone"), { code: "EPIPE" })
    },
  })
  output.write("one\n")
  output.write("two\n")
  output.flush()
  expect(output.dropped()).toBe(2)
})
