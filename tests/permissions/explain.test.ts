/** What `explain` says is what the permission matrix expects, for the callers themselves and for administrators who ask about them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import type { Operation } from "../../src/core/operation.ts"
import { operations } from "../../src/operations.ts"
import { send } from "../support/http.ts"
import { addressIn, cellsOf } from "./cells.ts"
import { type Cell, expected } from "./expectation.ts"
import { buildWorld, type World } from "./world.ts"

/** Of so many cells one is asked, another every day. EXPLAIN_CELLS=1 asks all of them, which takes some minutes. */
const STRIDE = Number(process.env["EXPLAIN_CELLS"] ?? 61)

/** Callers whom the administrator of the site may ask about as others. */
const isOther = ({ role, credential }: Cell): boolean => role !== "anonymous" && role !== "siteAdministrator" && credential === "password"

interface Answer {
  readonly allowed: boolean
  readonly status: number
  readonly steps: readonly { readonly rule: string; readonly holds: boolean; readonly because: string }[]
}

describe("explanations", () => {
  let hearth: Hearth
  let world: World

  beforeAll(async () => {
    const config = { security: { guesses: { perAccount: 100_000, perAddress: 100_000 } } }
    hearth = await startHearth({ halted: true, memory: true, config })
    world = await buildWorld(hearth)
  })
  afterAll(() => hearth.close())

  const ask = async (operation: Operation, cell: Cell, as?: string): Promise<Answer | number> => {
    const query = {
      method: operation.method,
      path: `/api/v1${addressIn(world, operation, cell.visibility)}`,
      ...(as !== undefined && { as }),
    }
    const authorization =
      as === undefined ? world.authorization(cell.role, cell.credential) : world.authorization("siteAdministrator", "full")
    const { status, text } = await send(hearth.url, "GET", "/explain", { authorization, query })
    return status === 200 ? JSON.parse(text) : status
  }

  const day = Math.floor(Date.now() / 86_400_000)
  const all = operations.flatMap((operation) => cellsOf(operation).map((cell) => ({ operation, cell })))
  const chosen = all.filter((_, index) => (index + day) % STRIDE === 0)

  it("are what the matrix expects", async () => {
    const wrong: string[] = []
    let asked = 0
    for (const { operation, cell } of chosen) {
      const wanted = expected(operation, cell)
      const canAsk = cell.role !== "inactive" && cell.role !== "prohibited"
      for (const as of [...(canAsk ? [undefined] : []), ...(isOther(cell) ? [cell.role] : [])]) {
        asked += 1
        const got = await ask(operation, cell, as)
        const said = typeof got === "number" ? got : got.allowed ? "in" : got.status
        const isWhole =
          typeof got !== "number" && got.steps.every(({ because }) => because !== "") && (got.steps.at(-1)?.holds ?? false) === got.allowed
        if (said !== wanted || !isWhole)
          wrong.push(
            `${operation.method} ${operation.path}: ${cell.role}/${cell.credential}/${cell.visibility} as ${as}: ${wanted}, got ${said} ${JSON.stringify(got)}`,
          )
      }
    }
    expect(wrong.slice(0, 20)).toEqual([])
    expect(asked).toBeGreaterThan(chosen.length / 2)
  })
})
