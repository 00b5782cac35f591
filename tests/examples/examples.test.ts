/**
 * Every operation is really called, by the function of `hearth/client`, and what it answers is what it declares: the status, each member, each type, and nothing more. The calls and their
 * answers are the examples of the API's documents.
 *
 * Slow: what 570 operations act on is made for each.
 */
import { expect, it } from "vitest"
import { typeOf } from "../../src/core/check.ts"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { recording, shapeOf } from "../support/recorded.ts"
import { sweep } from "../support/sample.ts"
import { type CheckedWorld, openCheckedWorld } from "../support/world.ts"
import { callByClient } from "./by-client.ts"
import { examples } from "./index.ts"
import { withLargeIds } from "./normal.ts"
import { prepareCall } from "./prepare.ts"
import { recordOf } from "./record.ts"

const recorded = recording("examples", shapeOf)

/** What the client is to give for an answer. */
function givenOf({ answers }: Operation, status: number, text: string): unknown {
  const schema = answers[status]
  // Where an answer leads is not followed here.
  if (schema === undefined || status >= 300) return status
  if (schema && ("isDownload" in schema || "isStream" in schema)) return expect.any(Response)
  return text === "" ? undefined : typeOf(schema) === "string" ? text : JSON.parse(text)
}

async function open(kind: FreshKind): Promise<CheckedWorld> {
  const world = await openCheckedWorld(kind)
  if (kind === "sqlite") await withLargeIds(world)
  return world
}

for (const { kind, parts } of sweep(operations))
  withWorld("an example of every operation", { open, on: [kind] }, ({ test: it, world }) => {
    it.each(parts.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
      const call = await prepareCall(world, operation, 2)
      const { status, text, given } = await callByClient(world.hearth.url, operation, call)
      expect(call.isRight(status), `it answered ${status} ${text}`).toBe(true)
      expect(given).toEqual(givenOf(operation, status, text))
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
