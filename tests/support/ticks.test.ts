import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { longestTickOf } from "./ticks.ts"

test("the garbage of what ran before is collected before the work", async () => {
  const before = new WeakRef({ text: "garbage" })
  // A weak reference holds its object until the next turn.
  await setImmediate()
  await longestTickOf(async () => expect(before.deref()).toBeUndefined())
})
