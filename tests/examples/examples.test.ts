import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { operations } from "../../src/operations.ts"
import { checkAnswers } from "../support/answers.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"
import { openWorld, type World } from "../support/world.ts"
import { examples } from "./index.ts"
import { prepareCall } from "./prepare.ts"

/** Every operation is really called, and what it answers is what it declares: the status, each member, each type, and nothing more. */
describe.each(databaseKinds)("an example of every operation (%s)", (kind) => {
  const check = checkAnswers()
  let fresh: FreshUrl
  let hearth: Hearth
  let world: World
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    hearth = await startHearth({ memory: true, config: { databaseUrl: fresh.url }, onAnswer: check.onAnswer })
    world = openWorld(hearth)
  })
  afterAll(async () => {
    await hearth.close()
    await fresh.drop()
  })

  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
    const call = await prepareCall(world, operation, 2)
    const { status, text } = await call.send()
    expect(call.isRight(status), `it answered ${status} ${text}`).toBe(true)
    expect(check.mismatches()).toEqual([])
  })
})

it("has no example of an operation that is not there", () => {
  const known = new Set(operations.map(({ id }) => id))
  expect(Object.keys(examples).filter((id) => !known.has(id))).toEqual([])
})
