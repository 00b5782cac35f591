/**
 * Plays recorded scenarios of API calls against a server of our own and compares what it answers.
 *
 * Slow: 84 scenarios send 3,400 requests one after another, and much of it is git's work.
 */
import { expect, test } from "vitest"
import { operations } from "../../src/operations.ts"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { recording } from "../support/recorded.ts"
import { sweep } from "../support/sample.ts"
import { type CheckedWorld, openCheckedWorld } from "../support/world.ts"
import { covered, deviating } from "./covered.ts"
import { judge, playScenario } from "./player.ts"
import { messageOf, operationOf } from "./refusals.ts"

const ADMIN_PASSWORD = "root-pass-1"
const ADMIN = { username: "root", password: ADMIN_PASSWORD, email: "root@example.com" }

interface Stage extends CheckedWorld {
  /** Moves the clock on, which stands still otherwise: moments are whole seconds, and lists are sorted by them. */
  readonly pass: (milliseconds: number) => void
}

async function openStage(kind: FreshKind): Promise<Stage> {
  // From a whole second on, so that the same seconds begin in each run.
  let milliseconds = Math.floor(Date.now() / 1000) * 1000
  const now = () => Math.floor(milliseconds / 1000)
  const world = await openCheckedWorld(kind, { admin: ADMIN }, { now })
  const pass = (passed: number) => {
    milliseconds += passed
  }
  return { ...world, pass }
}

/** How an operation was refused in some scenario; the documents of the API tell. */
const recorded = recording("refusals")
const seen = new Map<string, Map<number, Set<string>>>()

async function keepRefusal(method: string, url: string, answer: Response): Promise<void> {
  const id = answer.status >= 400 && answer.status < 500 ? operationOf(method, url) : undefined
  if (id === undefined) return
  const text = await answer.text()
  const message = text.startsWith("{") ? messageOf(String(JSON.parse(text).message)) : undefined
  if (message === undefined) return
  const statuses = seen.get(id) ?? new Map<number, Set<string>>()
  seen.set(id, statuses.set(answer.status, (statuses.get(answer.status) ?? new Set()).add(message)))
}

for (const { kind, parts } of sweep(covered))
  withWorld("recorded scenarios", { open: openStage, on: [kind] }, ({ test, world }) => {
    test.each(parts)("%s", async (name) => {
      // What was made before is older.
      world.pass(1000)
      const scenario = new URL(`scenarios/${name}.json`, import.meta.url).pathname
      const settle = () => world.hearth.services.jobs.drain()
      const asked = async (method: string, url: string, answer: Response) => {
        if (kind === "sqlite") await keepRefusal(method, url, answer)
        await settle()
      }
      const wait = async (milliseconds: number) => {
        world.pass(milliseconds)
        await settle()
      }
      const told = await playScenario({ url: world.hearth.url, admin: `root:${ADMIN_PASSWORD}`, scenario, asked, wait })
      expect({ ...judge(name, told), mismatches: world.check.mismatches() }).toEqual({ failed: deviating[name] ?? [], mismatches: [] })
    })
  })

test("the refusals that the documents tell were seen in the scenarios, and no others", () => {
  for (const { id } of operations) {
    const statuses = [...(seen.get(id) ?? [])]
      .toSorted(([a], [b]) => a - b)
      .map(([status, texts]) => [status, [...texts].toSorted()] as const)
    const texts = statuses.length > 0 ? Object.fromEntries(statuses) : undefined
    expect(texts, `${id}: npm run recorded writes what the documents tell`).toEqual(recorded.of(id, texts))
  }
  expect(recorded.unknown()).toEqual([])
})
