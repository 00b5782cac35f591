import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect } from "vitest"
import type { FreshKind } from "../support/database.ts"
import { withWorld } from "../support/fixture.ts"
import { openCheckedWorld } from "../support/world.ts"
import { covered } from "./covered.ts"

const run = promisify(execFile)
const ADMIN_PASSWORD = "root-pass-1"

const open = (kind: FreshKind) =>
  openCheckedWorld(kind, { admin: { username: "root", password: ADMIN_PASSWORD, email: "root@example.com" } })

/** Plays recorded scenarios of API calls against a server of our own and compares what it answers, on both databases. */
withWorld("recorded scenarios", { open }, ({ test: it, world }) => {
  // Moments are whole seconds: when one begins between two writes that were recorded within another, a list is sorted otherwise.
  it.each(covered)("%s", { timeout: 60_000, retry: 2 }, async (name) => {
    const player = new URL("trace.mjs", import.meta.url).pathname
    const scenario = new URL(`scenarios/${name}.json`, import.meta.url).pathname
    const { stdout } = await run(process.execPath, [player, "check", world.hearth.url, scenario], {
      env: { ADMIN: `root:${ADMIN_PASSWORD}` },
    }).catch((error: { readonly stdout: string }) => ({ stdout: error.stdout }))
    expect(stdout).toMatch(/^\d+ passed, 0 failed\n$/)
    expect(world.check.mismatches()).toEqual([])
  })
})
