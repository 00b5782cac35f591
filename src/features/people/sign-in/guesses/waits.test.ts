import { expect, it } from "vitest"
import { openWaits, type Waits } from "./waits.ts"

const TIMES = { firstWaitSeconds: 10, longestWaitSeconds: 400 }
const network = { key: "192.0.2.0/24", free: 6, forgives: false }
const pair = { key: "192.0.2.0/24 7", free: 3, forgives: true }

/** Processes that tell each other what they count; `join` adds one that begins later. */
function processes() {
  const all: Waits[] = []
  const join = (): Waits => {
    const made: Waits = openWaits(TIMES, (told) => {
      for (const other of all) if (other !== made) other.hear(told, 1_000)
    })
    all.push(made)
    return made
  }
  return { join }
}

/** Makes wrong tries until one is refused, and gives how many were made. */
function guess(waits: readonly Waits[], limit = network): number {
  for (let tries = 0; ; tries++) {
    const end = waits[tries % waits.length]?.begin([limit], 1_000)
    if (typeof end !== "function" || tries > 99) return tries
    end("wrong", 1_000)
  }
}

it("gives who asks several processes no more tries than one process does", () => {
  const { join } = processes()
  expect(guess([join()])).toBe(6)
  const other = processes()
  const three = [other.join(), other.join(), other.join()]
  expect(guess(three)).toBe(6)
  for (const waits of three) expect(waits.begin([network], 1_000)).toBe(10)
})

it("lets a process that begins later know of earlier tries as soon as it counts one", () => {
  const { join } = processes()
  const first = join()
  expect(guess([first])).toBe(6)
  const late = join()
  const end = late.begin([network], 1_000)
  if (typeof end === "function") end("wrong", 1_000)
  expect(late.begin([network], 1_000)).toBe(20)
  expect(first.begin([network], 1_000)).toBe(20)
})

it("forgets the wrong tries in all processes after a right one that forgives", () => {
  const { join } = processes()
  const [one, two] = [join(), join()]
  const tryIt = (waits: Waits, outcome: "wrong" | "right") => {
    const end = waits.begin([pair], 1_000)
    if (typeof end === "function") end(outcome, 1_000)
  }
  tryIt(one, "wrong")
  tryIt(one, "wrong")
  tryIt(two, "right")
  expect(guess([one, two], pair)).toBe(3)
})

it("leaves alone what it can't read", () => {
  const waits = openWaits(TIMES, () => {})
  for (const told of ["", "wrong", "wrong 1 1 x 192.0.2.0/24", "lost 6 6 9999 192.0.2.0/24"]) waits.hear(told, 1_000)
  expect(guess([waits])).toBe(6)
})
