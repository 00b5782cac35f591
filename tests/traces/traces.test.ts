/**
 * Plays recorded scenarios of API calls against a server of our own and compares what it answers.
 *
 * Slow: 84 scenarios send 3,400 requests one after another, and much of it is git's work.
 */
import { expect } from "vitest"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { sweep } from "../support/sample.ts"
import { type CheckedWorld, openCheckedWorld } from "../support/world.ts"
import { covered, deviating } from "./covered.ts"
import { judge, playScenario } from "./player.ts"

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

for (const { kind, parts } of sweep(covered))
  withWorld("recorded scenarios", { open: openStage, on: [kind] }, ({ test, world }) => {
    test.each(parts)("%s", async (name) => {
      // What was made before is older.
      world.pass(1000)
      const scenario = new URL(`scenarios/${name}.json`, import.meta.url).pathname
      const settle = () => world.hearth.services.jobs.drain()
      const wait = async (milliseconds: number) => {
        world.pass(milliseconds)
        await settle()
      }
      const told = await playScenario({ url: world.hearth.url, admin: `root:${ADMIN_PASSWORD}`, scenario, asked: settle, wait })
      expect({ ...judge(name, told), mismatches: world.check.mismatches() }).toEqual({ failed: deviating[name] ?? [], mismatches: [] })
    })
  })
