import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { type CheckedWorld, openCheckedWorld } from "../support/world.ts"
import { covered, deviating, differing } from "./covered.ts"

const run = promisify(execFile)
const ADMIN_PASSWORD = "root-pass-1"

/** Plays recorded scenarios of API calls against servers of our own and compares what they answer. */
describe("recorded scenarios", () => {
  let worlds: readonly CheckedWorld[] = []
  beforeAll(async () => {
    const config = { admin: { username: "root", password: ADMIN_PASSWORD, email: "root@example.com" } }
    worlds = await Promise.all(databaseKinds.map((kind) => openCheckedWorld(kind, config)))
  })
  afterAll(() => Promise.all(worlds.map(({ close }) => close())))

  // Moments are whole seconds: when one begins between two writes that were recorded within another, a list is sorted otherwise.
  it.each(covered)("%s", { retry: 2 }, async (name) => {
    // On both databases at once, for scenarios wait where what they wait for was made beside the requests.
    const told = await Promise.all(worlds.map((world) => play(world, name)))
    const passed = { failed: deviating[name] ?? [], mismatches: [] }
    expect(told).toEqual(databaseKinds.map((kind) => ({ kind, ...passed })))
  })
})

async function play({ hearth, check }: CheckedWorld, name: string) {
  const player = new URL("trace.mjs", import.meta.url).pathname
  const scenario = new URL(`scenarios/${name}.json`, import.meta.url).pathname
  const { stdout } = await run(process.execPath, [player, "check", hearth.url, scenario], {
    env: { ADMIN: `root:${ADMIN_PASSWORD}` },
  }).catch((error: { readonly stdout: string }) => ({ stdout: error.stdout }))
  const told = [...stdout.matchAll(/^FAIL \S+ (?:step (\d+) )?(.*)\n((?: {2}.*\n)*)/gm)]
  const isWhole = stdout.endsWith(` passed, ${told.length} failed\n`)
  const failed = told.flatMap(([, number, step, differences = ""]) => {
    const known = (differing[name] ?? []).filter(({ from }) => Number(number) >= from)
    const isKnown = (difference: string): boolean => known.some(({ members }) => members.test(difference))
    return differences.trim().split(/\n\s*/).every(isKnown) ? [] : [step]
  })
  return { kind: hearth.services.database.kind, failed, mismatches: check.mismatches(), ...(!isWhole && { told: stdout }) }
}
