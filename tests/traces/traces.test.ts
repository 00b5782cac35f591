import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds } from "../support/database.ts"
import { type CheckedWorld, openCheckedWorld } from "../support/world.ts"
import { covered } from "./covered.ts"

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
  it.each(covered)("%s", { timeout: 60_000, retry: 2 }, async (name) => {
    // On both databases at once, for scenarios wait where what they wait for was made beside the requests.
    const told = await Promise.all(worlds.map((world) => play(world, name)))
    const passed = { told: expect.stringMatching(/^\d+ passed, 0 failed\n$/), mismatches: [] }
    expect(told).toEqual(databaseKinds.map((kind) => ({ kind, ...passed })))
  })
})

async function play({ hearth, check }: CheckedWorld, name: string) {
  const player = new URL("trace.mjs", import.meta.url).pathname
  const scenario = new URL(`scenarios/${name}.json`, import.meta.url).pathname
  const { stdout } = await run(process.execPath, [player, "check", hearth.url, scenario], {
    env: { ADMIN: `root:${ADMIN_PASSWORD}` },
  }).catch((error: { readonly stdout: string }) => ({ stdout: error.stdout }))
  return { kind: hearth.services.database.kind, told: stdout, mismatches: check.mismatches() }
}
