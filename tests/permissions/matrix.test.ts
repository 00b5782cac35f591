import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { type Expected, expected } from "./expectation.ts"
import { buildWorld, credentials, roles, visibilities, type Visibility, type World } from "./world.ts"

/**
 * Every operation × every kind of caller × every visibility × every credential, each cell really requested over HTTP. The handler is not
 * run, so that forty thousand requests change nothing; everything before it is.
 */
describe("the permission matrix", () => {
  let hearth: Hearth
  let world: World
  let probing = false
  const LET_IN = 299

  beforeAll(async () => {
    hearth = await startHearth({ memory: true, intercept: () => (probing ? { status: LET_IN, body: undefined } : undefined) })
    world = await buildWorld(hearth.url, hearth.token, hearth.services)
    probing = true
  }, 60_000)
  afterAll(() => hearth.close())

  const addressOf = (operation: Operation, visibility: Visibility): string => {
    const values = world.parameters(visibility)
    const own = { ...values, id: (operation.rule.subject === "team" ? values["team_id"] : operation.rule.subject === "repository" ? values["repository_id"] : "1") ?? "1" }
    return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(Object.entries(own).find(([known]) => known === name)?.[1] ?? "1"))
  }

  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", { timeout: 60_000 }, async (_name, operation) => {
    const wrong: string[] = []
    for (const visibility of visibilities)
      for (const role of roles)
        for (const credential of credentials) {
          const authorization = world.authorization(role, credential)
          const answer = await fetch(`${hearth.url}/api/v1${addressOf(operation, visibility)}`, { method: operation.method, headers: authorization ? { authorization } : {} })
          await answer.arrayBuffer()
          const got: Expected | number = answer.status === LET_IN ? "in" : answer.status
          const wanted = expected(operation, role, visibility, credential)
          if (got !== wanted) wrong.push(`${role} by ${credential} on ${visibility}: expected ${wanted}, got ${got}`)
        }
    expect(wrong).toEqual([])
  })

  it("asks about every operation", () => {
    expect(operations.length).toBeGreaterThan(100)
  })
})
