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

const ADMIN = { username: "root", password: "root-pass-1" }
const AT = "/repos/root/repo"

/** The process is killed with SIGKILL at the moments of a queue. The next one goes on where it was. */
describe.each(databaseKinds)("killed on %s", (kind) => {
  let fresh: FreshUrl
  let folder: string
  let config: ConfigOverrides

  beforeEach(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-queue-crash-"))
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
  const queue = async (url: string) => (await call(url, "GET", `${AT}/merge_queues/main`)).body
  const tip = async (url: string) => (await call(url, "GET", `${AT}/branches/main`)).body.commit.id
  const report = (url: string, sha: string) => call(url, "POST", `${AT}/statuses/${sha}`, { state: "success", context: "ci" })

  /** A repository with a queue and two pull requests. */
  async function prepare(): Promise<void> {
    const { url, close } = await startHearth({ config, env: {} })
    const content = { content: Buffer.from("a\n").toString("base64") }
    await call(url, "POST", "/user/repos", { name: "repo", auto_init: true, default_branch: "main" })
    for (const name of ["one", "two"]) {
      await call(url, "POST", `${AT}/contents/${name}`, { ...content, branch: "main", new_branch: name })
      await call(url, "POST", `${AT}/pulls`, { head: name, base: "main", title: name })
    }
    const rule = { rule_name: "main", enable_merge_queue: true, enable_status_check: true, status_check_contexts: ["ci"] }
    await call(url, "POST", `${AT}/branch_protections`, rule)
    await close()
  }

  /** Runs a server until it is killed at a moment; `act` brings it there. */
  async function killedAt(moment: string, act: (url: string) => Promise<unknown>): Promise<void> {
    const fixture = fileURLToPath(new URL("crash.fixture.ts", import.meta.url))
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", fixture, moment, JSON.stringify(config)], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)))
    const url = await new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())))
    await act(url)
    expect(await ended).toBe("SIGKILL")
  }

  /** The next server, with the claims of the killed one run out. */
  async function next(): Promise<Hearth> {
    const hearth = await startHearth({ config, env: {}, halted: true })
    const { database, jobs } = hearth.services
    await database.write((tx) =>
      tx.updateTable("jobs").set({ run_at: 0, held_until: 0 }).where("state", "in", ["waiting", "running"]).execute(),
    )
    await jobs.drain()
    return hearth
  }

  /** A call that may not be answered, since the server dies meanwhile. */
  const perhaps = (asked: Promise<unknown>) => asked.catch(() => undefined)
  const lineUp = async (url: string) => {
    for (const number of [1, 2]) await perhaps(call(url, "POST", `${AT}/pulls/${number}/queue`, {}))
  }
  /** Waits until a trial is tested, and reports that it is fine. */
  const lineUpAndPass = async (url: string) => {
    await lineUp(url)
    await expect.poll(async () => (await queue(url)).trial?.state).toBe("testing")
    await perhaps(report(url, (await queue(url)).trial.head_sha))
  }
  const merged = async (url: string) =>
    (await call(url, "GET", `${AT}/pulls?state=closed`)).body.filter((pull: { merged: boolean }) => pull.merged).length

  /** From wherever it is, all that has lined up lands, and main is what was tested. */
  async function finishes({ url, services }: Hearth, many: number): Promise<void> {
    for (let rounds = 0; rounds < 4 && (await merged(url)) < many; rounds++) {
      const { trial } = await queue(url)
      expect(trial).toMatchObject({ state: "testing", base_sha: await tip(url) })
      await report(url, trial.head_sha)
      await services.jobs.drain()
      expect(await tip(url)).toBe(trial.head_sha)
    }
    expect([await merged(url), await queue(url)]).toMatchObject([many, { trial: null, entries: [] }])
    expect((await call(url, "GET", `${AT}/git/refs/queue`)).status).toBe(404)
  }

  test("a trial was built: it is shown and tested", async () => {
    await prepare()
    await killedAt("a trial is built", lineUp)
    const hearth = await next()
    try {
      const { entries } = await queue(hearth.url)
      await finishes(hearth, entries.length)
    } finally {
      await hearth.close()
    }
  })

  test("the checks had passed: it lands", async () => {
    await prepare()
    await killedAt("the checks have passed", lineUpAndPass)
    const hearth = await next()
    try {
      expect(await merged(hearth.url)).toBeGreaterThan(0)
      await finishes(hearth, 2)
    } finally {
      await hearth.close()
    }
  })

  test("the branch had moved: its pull requests are merged, once", async () => {
    await prepare()
    await killedAt("the branch has moved", lineUpAndPass)
    const hearth = await next()
    try {
      const first = await tip(hearth.url)
      const {
        recent_trials: [landed],
      } = await queue(hearth.url)
      expect(landed).toMatchObject({ state: "landed", head_sha: first })
      await finishes(hearth, 2)
      const { body } = await call(hearth.url, "GET", `${AT}/issues/1/timeline`)
      expect(body.filter(({ type }: { type: string }) => type === "merge_pull")).toHaveLength(1)
    } finally {
      await hearth.close()
    }
  })

  // Several servers share a database only on PostgreSQL.
  if (kind === "sqlite") return
  test("two servers work on one queue: all lands once, as it was tested", async () => {
    await prepare()
    const servers = [await startHearth({ config, env: {} }), await startHearth({ config, env: {} })]
    const [one, other] = servers
    if (!one || !other) throw new TypeError("both have started")
    try {
      const content = { content: Buffer.from("a\n").toString("base64") }
      const numbers = [1, 2]
      for (const name of ["three", "four", "five", "six"]) {
        await call(one.url, "POST", `${AT}/contents/${name}`, { ...content, branch: "main", new_branch: name })
        numbers.push((await call(other.url, "POST", `${AT}/pulls`, { head: name, base: "main", title: name })).body.number)
      }
      await call(one.url, "PATCH", `${AT}/branch_protections/main`, { merge_queue_batch_size: 2 })
      const lined = await Promise.all(
        numbers.map((number, index) => call((index % 2 === 0 ? one : other).url, "POST", `${AT}/pulls/${number}/queue`, {})),
      )
      expect(lined.map(({ status }) => status)).toEqual(numbers.map(() => 201))
      // Each trial is reported to both at once, and both are asked to look.
      const look = ({ services }: Hearth) => services.jobs.tasks.run("advance_merge_queues")
      await expect
        .poll(
          async () => {
            const { trial, entries } = await queue(one.url)
            if (trial !== null)
              await Promise.all([report(one.url, trial.head_sha), report(other.url, trial.head_sha), look(one), look(other)])
            return entries.length
          },
          { interval: 100, timeout: 120_000 },
        )
        .toBe(0)
      expect(await merged(one.url)).toBe(numbers.length)
      const { database } = one.services
      const trials = await database.read.selectFrom("merge_trials").select(["state", "commit_id"]).orderBy("id").execute()
      const moves = (await database.read.selectFrom("events").select("data").where("kind", "=", "reference.moved").orderBy("id").execute())
        .map(({ data }): { readonly ref: string; readonly newId: string } => JSON.parse(data))
        .filter(({ ref }) => ref === "refs/heads/main")
      expect(moves.map(({ newId }) => newId)).toEqual(trials.filter(({ state }) => state === "landed").map((trial) => trial.commit_id))
      const told = await database.read.selectFrom("comments").select("id").where("kind", "=", "merge_pull").execute()
      expect(told).toHaveLength(numbers.length)
    } finally {
      await Promise.all(servers.map((server) => server.close()))
    }
  })
})
