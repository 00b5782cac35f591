/**
 * Every operation is really called, and what it answers is what it declares: the status, each member, each type, and nothing more. The calls and their
 * answers are the examples of the API's documents.
 *
 * Slow: what 570 operations act on is made for each.
 */
import { expect, it } from "vitest"
import { operations } from "../../src/operations.ts"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { recording, shapeOf } from "../support/recorded.ts"
import { sweep } from "../support/sample.ts"
import { type CheckedWorld, openCheckedWorld } from "../support/world.ts"
import { examples } from "./index.ts"
import { withLargeIds } from "./normal.ts"
import { prepareCall } from "./prepare.ts"
import { recordOf } from "./record.ts"

const recorded = recording("examples", shapeOf)

async function open(kind: FreshKind): Promise<CheckedWorld> {
  const world = await openCheckedWorld(kind)
  if (kind === "sqlite") await withLargeIds(world)
  return world
}

for (const { kind, parts } of sweep(operations))
  withWorld("an example of every operation", { open, on: [kind] }, ({ test: it, world }) => {
    it.each(parts.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
      const call = await prepareCall(world, operation, 2)
      const { status, text } = await call.send()
      expect(call.isRight(status), `it answered ${status} ${text}`).toBe(true)
      expect(world.check.mismatches()).toEqual([])
      if (kind !== "sqlite") return
      const seen = recordOf(world.hearth.url, operation, call, { status, text })
      expect(shapeOf(seen), "npm run recorded writes what the documents show").toEqual(recorded.of(operation.id, seen))
    })
  })

it("has no example of an operation that is not there", () => {
  const known = new Set(operations.map(({ id }) => id))
  expect(Object.keys(examples).filter((id) => !known.has(id))).toEqual([])
  expect(recorded.unknown()).toEqual([])
})
