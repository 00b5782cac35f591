import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hearth, startHearth } from "../../src/app.ts"
import { checkAnswers } from "../support/answers.ts"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"
import { covered } from "./covered.ts"

const run = promisify(execFile)
const ADMIN_PASSWORD = "root-pass-1"

/** Plays recorded scenarios of API calls against a server of our own and compares what it answers, on both databases. */
describe.each(databaseKinds)("recorded scenarios (%s)", (kind) => {
  const check = checkAnswers()
  let fresh: FreshUrl
  let hearth: Hearth
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    const config = { databaseUrl: fresh.url, admin: { username: "root", password: ADMIN_PASSWORD, email: "root@example.com" } }
    hearth = await startHearth({ memory: true, config, onAnswer: check.onAnswer })
  })
  afterAll(async () => {
    await hearth.close()
    await fresh.drop()
  })

  // Moments are whole seconds: when one begins between two writes that were recorded within another, a list is sorted otherwise.
  it.each(covered)("%s", { timeout: 60_000, retry: 2 }, async (name) => {
    const player = new URL("trace.mjs", import.meta.url).pathname
    const scenario = new URL(`scenarios/${name}.json`, import.meta.url).pathname
    const { stdout } = await run(process.execPath, [player, "check", hearth.url, scenario], {
      env: { ADMIN: `root:${ADMIN_PASSWORD}` },
    }).catch((error: { readonly stdout: string }) => ({ stdout: error.stdout }))
    expect(stdout).toMatch(/^\d+ passed, 0 failed\n$/)
    expect(check.mismatches()).toEqual([])
  })
})
