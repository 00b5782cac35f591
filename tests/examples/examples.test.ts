/**
 * Every operation is really called, and what it answers is what it declares: the status, each member, each type, and nothing more.
 *
 * Slow: what 570 operations act on is made for each.
 */
import { expect, it } from "vitest"
import { operations } from "../../src/operations.ts"
import { withWorld } from "../support/fixture.ts"
import { sweep } from "../support/sample.ts"
import { openCheckedWorld } from "../support/world.ts"
import { examples } from "./index.ts"
import { prepareCall } from "./prepare.ts"

for (const { kind, parts } of sweep(operations))
  withWorld("an example of every operation", { open: openCheckedWorld, on: [kind] }, ({ test: it, world }) => {
    it.each(parts.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
      const call = await prepareCall(world, operation, 2)
      const { status, text } = await call.send()
      expect(call.isRight(status), `it answered ${status} ${text}`).toBe(true)
      expect(world.check.mismatches()).toEqual([])
    })
  })

it("has no example of an operation that is not there", () => {
  const known = new Set(operations.map(({ id }) => id))
  expect(Object.keys(examples).filter((id) => !known.has(id))).toEqual([])
})
