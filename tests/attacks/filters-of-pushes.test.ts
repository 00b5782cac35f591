/*
 * One push changes 900 files of a repository whose five workflows have a hundred patterns for paths each: every file was compared with every pattern, 18.6 seconds in which no one else
 * was served. Another creates a hundred branches where sixty webhooks have filters, which were compiled for each branch, in the transaction: 4.6 seconds. Now patterns are compiled once for
 * a push, and compared within a limit.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect } from "vitest"
import { client, ok, writeHistory } from "../../src/git/testing.ts"
import { withHearth } from "../support/fixture.ts"
import { PASSWORD } from "../support/hearth.ts"
import { LONGEST_ALLOWED_MS, longestTickOf } from "../support/ticks.ts"

const times = <T>(count: number, make: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => make(index))

const config = { limits: { workSteps: 10_000_000 } }
withHearth("filters that a push is compared with", { people: ["ann"], config }, ({ test, forge, call, ann }) => {
  let folder: string
  test.beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-filters-"))
    await ok(folder, "init", "-q", "-b", "main")
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function repository(name: string) {
    await call(ann, "POST /user/repos", { name })
    const url = new URL(`${forge.hearth.url}/ann/${name}.git`)
    url.username = "ann"
    url.password = PASSWORD
    return { url: url.href, at: `/repos/ann/${name}` }
  }
  async function push(url: string, ...refs: readonly string[]) {
    const tick = await longestTickOf(async () => expect((await client(folder, ["push", "-q", url, ...refs])).err).not.toContain("error"))
    expect(tick).toBeLessThan(LONGEST_ALLOWED_MS)
  }

  test("of paths block no caller, and match where they are too much work", async () => {
    const { url, at } = await repository("paths")
    const workflow = (patterns: readonly string[]) =>
      `on: {push: {paths: ${JSON.stringify(patterns)}}}\njobs: {build: {runs-on: nowhere}}\n`
    const costly = times(100, (index) => `${"**/*a*b*".repeat(10)}${index}x`)
    const workflows = Object.fromEntries(times(3, (index) => [`.gitea/workflows/${index}.yml`, workflow(costly)]))
    const plain = { ".gitea/workflows/plain.yml": workflow(["none/**"]) }
    const files = Object.fromEntries(times(500, (index) => [`new/${"ab/".repeat(20)}${index}`, ""]))
    await writeHistory(folder, [
      { branch: "first", files: plain },
      { branch: "first", files: { ...workflows, ...files } },
    ])
    await push(url, "first~1:refs/heads/main")
    await push(url, "first:main")
    const { body } = await call(ann, `GET ${at}/actions/runs`)
    const started = body.workflow_runs.map(({ path }: { readonly path: string }) => path.replace(/@.*/, ""))
    // The cheap one was compared after the budget was used up.
    expect(started.sort()).toEqual(["0.yml", "1.yml", "2.yml", "plain.yml"])
  })

  test("of webhooks block no caller, and let everything pass that is too much work", async () => {
    const { url, at } = await repository("hooks")
    const hook = (branch_filter: string, index: number) =>
      call(ann, `POST ${at}/hooks`, {
        type: "gitea",
        config: { url: `https://h${index}.example/`, content_type: "json" },
        events: ["create"],
        active: true,
        branch_filter,
      })
    const cheap = await hook("none", 100)
    for (const index of times(20, (each) => each)) expect((await hook(`${"*a*b".repeat(60)}${index}x`, index)).status).toBe(201)
    await writeHistory(folder, [{ branch: "hooks", files: { a: "" } }])
    const tip = await ok(folder, "rev-parse", "hooks")
    const names = times(14, (index) => `refs/heads/${"ab".repeat(75)}${index}`)
    await push(url, ...names.map((name) => `${tip}:${name}`))
    const told = await forge.hearth.services.database.read
      .selectFrom("webhook_deliveries")
      .select("id")
      .where("webhook_id", "=", cheap.body.id)
      .execute()
    expect(told.length).toBeGreaterThan(0)
  })
})
