import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { databaseKinds, type FreshUrl, freshUrl } from "../../../../tests/support/database.ts"
import { basic } from "../../../../tests/support/hearth.ts"
import { type Hearth, startHearth } from "../../../app.ts"
import type { ConfigOverrides } from "../../../core/config.ts"
import { settleJob } from "../../code/pushes/journal.ts"

const ADMIN = { username: "root", password: "root-pass-1" }
const AT = "/repos/root/repo"

/** The process is killed with SIGKILL in the middle of a merge. After the next start the result is the same as without the crash. */
describe.each(databaseKinds)("killed on %s", (kind) => {
  let fresh: FreshUrl
  let folder: string
  let config: ConfigOverrides

  beforeEach(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-merge-crash-"))
    config = {
      dataDir: join(folder, "data"),
      databaseUrl: fresh.url,
      http: { host: "127.0.0.1", port: 0 },
      ssh: { port: 0 },
      log: { level: "silent" },
      admin: ADMIN,
    }
  })
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  const call = async (url: string, method: string, path: string, body?: object) => {
    const headers = { authorization: basic(ADMIN.username, ADMIN.password), "content-type": "application/json" }
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) }
  }

  /** Runs a server that is killed at a moment of the merge, then the next one on the same files and rows. */
  async function scene(moment: string): Promise<Hearth> {
    const before = await startHearth({ config, env: {} })
    const content = (text: string) => ({ content: Buffer.from(text).toString("base64") })
    await call(before.url, "POST", "/user/repos", { name: "repo" })
    await call(before.url, "POST", `${AT}/contents/a`, content("a\n"))
    await call(before.url, "POST", `${AT}/issues`, { title: "To be closed" })
    await call(before.url, "POST", `${AT}/contents/b`, { ...content("b\n"), branch: "main", new_branch: "topic" })
    const made = await call(before.url, "POST", `${AT}/pulls`, { head: "topic", base: "main", title: "Topic", body: "fixes #1" })
    expect([made.status, made.body.mergeable]).toEqual([201, true])
    await before.services.jobs.drain()
    await before.close()

    const fixture = fileURLToPath(new URL("crash.fixture.ts", import.meta.url))
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fixture, moment, JSON.stringify(config)], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)))
    const url = await new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())))
    await expect(call(url, "POST", `${AT}/pulls/2/merge`, { do: "squash" })).rejects.toThrow("fetch failed")
    expect(await ended).toBe("SIGKILL")
    return startHearth({ config, env: {} })
  }

  /** Lets the lease of what was under way expire. */
  async function afterLease({ services: { database, jobs } }: Hearth): Promise<void> {
    const waiting = await database.read.selectFrom("jobs").select("id").where("kind", "=", settleJob.kind).execute()
    expect(waiting).toHaveLength(1)
    await database.write((tx) => tx.updateTable("jobs").set({ run_at: 0 }).where("kind", "=", settleJob.kind).execute())
    await jobs.drain()
  }

  const merged = async ({ url }: Hearth) => (await call(url, "GET", `${AT}/pulls/2`)).body
  const tip = async ({ url }: Hearth) => (await call(url, "GET", `${AT}/commits?limit=1`)).body[0]

  test("after the branch has moved: the pull request is merged, once and with all that follows", async () => {
    const hearth = await scene("after the branch has moved")
    try {
      expect(await merged(hearth)).toMatchObject({ merged: false, state: "open" })
      // A retry in the meantime doesn't merge it twice.
      expect((await call(hearth.url, "POST", `${AT}/pulls/2/merge`, { do: "squash" })).status).toBe(405)
      await afterLease(hearth)
      const commit = await tip(hearth)
      expect(commit.commit.message).toBe("Topic (#2)\n")
      expect(await merged(hearth)).toMatchObject({
        merged: true,
        state: "closed",
        merge_commit_sha: commit.sha,
        merged_by: { login: "root" },
      })
      expect((await call(hearth.url, "GET", `${AT}/issues/1`)).body.state).toBe("closed")
      expect((await call(hearth.url, "GET", AT)).body).toMatchObject({ open_pr_counter: 0, open_issues_count: 0 })
      const feed = (await call(hearth.url, "GET", "/users/root/activities/feeds")).body
      const told = feed.filter(({ op_type }: { op_type: string }) => op_type.endsWith("pull_request"))
      expect(told.map(({ op_type }: { op_type: string }) => op_type)).toEqual(["merge_pull_request", "create_pull_request"])
      expect((await call(hearth.url, "POST", `${AT}/pulls/2/merge`, { do: "squash" })).status).toBe(405)
    } finally {
      await hearth.close()
    }
  })

  test("before the branch moves: nothing has happened, and it can be merged", async () => {
    const hearth = await scene("before the branch moves")
    try {
      const base = (await tip(hearth)).sha
      await afterLease(hearth)
      expect((await tip(hearth)).sha).toBe(base)
      expect(await merged(hearth)).toMatchObject({ merged: false, state: "open", mergeable: true })
      expect((await call(hearth.url, "POST", `${AT}/pulls/2/merge`, { do: "squash" })).status).toBe(200)
      expect(await merged(hearth)).toMatchObject({ merged: true })
    } finally {
      await hearth.close()
    }
  })
})
