/**
 * Every operation × every kind of caller × every visibility × every credential, each cell really requested over HTTP. The handler is not
 * run, so that thousands of requests change nothing; everything before it is.
 *
 * Slow: there are 46,000 cells.
 */
import { Agent, request } from "node:http"
import type { FastifyInstance } from "fastify"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { openMetrics } from "../../src/core/metrics.ts"
import type { Operation } from "../../src/core/operation.ts"
import Type from "../../src/core/schema.ts"
import { operations } from "../../src/operations.ts"
import { openHttp } from "../../src/servers/http.ts"
import { allowedOnArchived } from "./archived.ts"
import { addressIn, cellsOf } from "./cells.ts"
import { expected } from "./expectation.ts"
import { buildWorld, type Visibility, visibilities, type World } from "./world.ts"

/** The status sent in place of the handlers' answers; no operation has it. */
const LET_IN = 299

/** The operation with its own access and, in place of its handler, a status: thousands of calls change nothing. */
const probe = (operation: Operation): Operation => ({
  ...operation,
  query: Type.Object({}),
  body: undefined,
  open: async (asked) => {
    await operation.open(asked)
    return { run: () => ({ status: LET_IN, body: undefined }) }
  },
})

describe("the permission matrix", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let hearth: Hearth
  let world: World
  let app: FastifyInstance
  let url: string
  const metrics = openMetrics()

  beforeAll(async () => {
    // The person who may not sign in tries it with every call.
    const config = { security: { guesses: { perAccount: 100_000, perAddress: 100_000 } } }
    hearth = await startHearth({ halted: true, memory: true, config })
    world = await buildWorld(hearth)
    app = await openHttp(hearth.services, {
      operations: operations.map(probe),
      web: async () => ({ pages: [], files: [] }),
      metrics,
    })
    url = await app.listen({ host: "127.0.0.1", port: 0 })
  })
  afterAll(async () => {
    agent.destroy()
    await app.close()
    metrics.close()
    await hearth.close()
  })

  const addressOf = (operation: Operation, visibility: Visibility): string => addressIn(world, operation, visibility)

  const ask = (method: string, path: string, authorization: string | undefined): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = authorization ? { authorization } : {}
      request(`${url}/api/v1${path}`, { method, headers, agent }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0))
      })
        .on("error", reject)
        .end()
    })

  it.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))("%s", async (_name, operation) => {
    const answers = await Promise.all(
      cellsOf(operation).map(async (cell) => {
        const status = await ask(operation.method, addressOf(operation, cell.visibility), world.authorization(cell.role, cell.credential))
        return { cell, got: status === LET_IN ? "in" : status, wanted: expected(operation, cell) }
      }),
    )
    const wrong = answers.filter(({ got, wanted }) => got !== wanted)
    expect(
      wrong.map(({ cell, got, wanted }) => `${cell.role} by ${cell.credential} on ${cell.visibility}: expected ${wanted}, got ${got}`),
    ).toEqual([])
  })

  describe("of an archived repository", () => {
    const writing = operations.filter(({ method, rule }) => method !== "GET" && rule.subject === "repository")

    beforeAll(async () => {
      await hearth.services.database.write((tx) => tx.updateTable("repositories").set({ is_archived: 1 }).execute())
    })

    it.each(writing.map((operation) => [operation.id, operation] as const))("asks %s", async (id, operation) => {
      const wanted = allowedOnArchived.has(id) ? LET_IN : 423
      for (const visibility of visibilities)
        expect(await ask(operation.method, addressOf(operation, visibility), world.authorization("siteAdministrator", "full"))).toBe(wanted)
    })

    it("refuses anonymous callers, and reveals nothing hidden", async () => {
      const refused = writing.filter(({ id, rule }) => !allowedOnArchived.has(id) && !rule.asksFirst)
      const answers = await Promise.all(
        refused.map(async (operation) => [
          operation.id,
          await ask(operation.method, addressOf(operation, "private"), world.authorization("stranger", "full")),
        ]),
      )
      expect(answers.filter(([, status]) => status !== 404)).toEqual([])
    })

    it("lists no operation that is not there", () => {
      const ids = new Set(writing.map(({ id }) => id))
      expect([...allowedOnArchived].filter((id) => !ids.has(id))).toEqual([])
    })
  })

  it("asks about every operation, and many thousand times in all", () => {
    expect(operations.length).toBeGreaterThan(100)
    expect(operations.flatMap(cellsOf).length).toBeGreaterThan(10_000)
  })
})
