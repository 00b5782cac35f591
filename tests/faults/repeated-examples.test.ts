/**
 * Every write is sent twice with the same key: it answers as its example says, also where it is done in a transaction with its answer, and the second time as the first.
 *
 * Slow: what 310 operations act on is made for each, on both databases.
 */
import { expect } from "vitest"
import { operations } from "../../src/operations.ts"
import { prepareCall } from "../examples/prepare.ts"
import { databaseKinds } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { openCheckedWorld } from "../support/world.ts"

const writes = operations.filter(({ method }) => method !== "GET")

withWorld("a write with a key", { open: openCheckedWorld, on: databaseKinds }, ({ test, world }) => {
  test.each(writes.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
    const call = await prepareCall(world, operation, 2)
    const first = await call.send({}, { "idempotency-key": operation.id })
    expect(call.isRight(first.status), `it answered ${first.status} ${first.text}`).toBe(true)
    expect(world.check.mismatches()).toEqual([])
    // What ends the token that it is sent with can't be sent again.
    if (first.status >= 400 || call.calling.authorization === undefined || operation.id === "deleteCurrentToken") return
    const again = await call.send({}, { "idempotency-key": operation.id })
    expect([again.status, again.text]).toEqual([first.status, first.text])
  })
})
