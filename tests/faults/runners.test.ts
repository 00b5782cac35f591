import { randomInt } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseKinds, type FreshUrl, freshUrl } from "../support/database.ts"
import { basic, must } from "../support/http.ts"
import { type OldRunner, type OldTask, openOldRunner } from "../support/old-runner.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"

const PASSWORD = "root-pass-1"
const authorization = basic("root", PASSWORD)

const REPOSITORIES = 4
const JOBS = 25
const KILLS = 3

const matrixOf = (count: number) => `name: CI
on: push
jobs:
  many:
    runs-on: host
    strategy: {matrix: {n: [${Array.from({ length: count }, (_, index) => index).join(", ")}]}}
    steps: [{run: echo one}]
`

interface Job {
  readonly id: number
  readonly name: string
  readonly conclusion: string | null
}

describe.each(databaseKinds)("runners (%s)", (kind) => {
  let fresh: FreshUrl
  let folder: string
  const servers: ServerProcess[] = []
  beforeAll(async () => {
    fresh = await freshUrl(kind)
    folder = await mkdtemp(join(tmpdir(), "hearth-runners-"))
  })
  afterAll(async () => {
    for (const server of servers) await server.kill()
    await rm(folder, { recursive: true, force: true })
    await fresh.drop()
  })

  const start = async (): Promise<ServerProcess> => {
    const server = await startServer({
      HEARTH_DATA_DIR: join(folder, "data"),
      HEARTH_DATABASE_URL: fresh.url,
      HEARTH_ADMIN_PASSWORD: PASSWORD,
    })
    servers.push(server)
    return server
  }
  const tokenOf = async ({ url }: ServerProcess) =>
    (await must<{ readonly token: string }>(url, "POST", "/admin/actions/runners/registration-token", { authorization })).token
  /** A repository with a run of so many jobs. */
  const repositoryWith = async ({ url }: ServerProcess, name: string, jobs: number) => {
    await must(url, "POST", "/user/repos", { authorization, body: { name, auto_init: true } })
    const content = Buffer.from(matrixOf(jobs)).toString("base64")
    await must(url, "POST", `/repos/root/${name}/contents/.gitea/workflows/ci.yml`, { authorization, body: { content, message: "jobs" } })
  }
  const jobsOf = async ({ url }: ServerProcess, name: string): Promise<readonly Job[]> => {
    const pages = await Promise.all(
      [1, 2].map((page) =>
        must<{ readonly jobs: readonly Job[] }>(url, "GET", `/repos/root/${name}/actions/jobs?limit=50&page=${page}`, { authorization }),
      ),
    )
    return pages.flatMap(({ jobs }) => jobs)
  }

  it("take a hundred jobs, each once, from as many processes as the database allows", async () => {
    const first = await start()
    const second = kind === "postgres" ? await start() : first
    const token = await tokenOf(first)
    const names = Array.from({ length: REPOSITORIES }, (_, index) => `many${index}`)
    const given: string[] = []
    const work = async (runner: OldRunner): Promise<void> => {
      while (given.length < REPOSITORIES * JOBS) {
        const task = await runner.fetch()
        if (!task) continue
        given.push(`${task.context["repository"]} ${task.payload.match(/"n":\[(\d+)\]/)?.[1]}`)
        task.print(`job ${given.length}`)
        if (randomInt(2) === 0) await task.tick()
        task.step(0, "success")
        await task.end("success")
      }
    }
    // Some of them wait for work already when the first jobs come.
    const runners = await Promise.all(
      [first, second, first, second].map(({ url }, index) => openOldRunner(token, { url, encoding: index % 2 === 0 ? "binary" : "json" })),
    )
    const working = Promise.all(runners.map(work))
    await Promise.all(names.map((name) => repositoryWith(first, name, JOBS)))
    await working

    expect(given.toSorted()).toEqual(names.flatMap((name) => Array.from({ length: JOBS }, (_, n) => `root/${name} ${n}`)).toSorted())
    for (const name of names) expect((await jobsOf(first, name)).map(({ conclusion }) => conclusion)).toEqual(Array(JOBS).fill("success"))
    for (const server of [first, second]) await server.stop()
  })

  it("lose and double no line of a log when the server is killed again and again", async () => {
    let server = await start()
    const runner = await openOldRunner(await tokenOf(server), { url: server.url })
    await repositoryWith(server, "killed", 3)
    const tasks: OldTask[] = []
    while (tasks.length < 3) {
      const task = await runner.fetch()
      if (task) tasks.push(task)
    }
    let isOver = false
    let isAway = false
    const write = async (task: OldTask): Promise<void> => {
      while (!isOver) {
        task.print(
          ...Array.from({ length: randomInt(1, 200) }, (_, index) => `line ${task.lines.length + index} ${"x".repeat(randomInt(200))}`),
        )
        expect(await task.tick()).toBe(true)
        // What it tries in vain meanwhile is sent again, and longer each time.
        if (isAway) await sleep(100)
      }
    }
    const writing = Promise.all(tasks.map(write))
    for (let kill = 0; kill < KILLS; kill++) {
      const before = tasks.map(({ lines }) => lines.length)
      await expect.poll(() => tasks.every(({ lines }, index) => lines.length > (before[index] ?? 0) + 500)).toBe(true)
      await sleep(randomInt(300))
      isAway = true
      await server.kill()
      server = await start()
      runner.moveTo(server.url)
      isAway = false
    }
    isOver = true
    await writing
    for (const task of tasks) await task.end("success")

    const jobs = await jobsOf(server, "killed")
    expect(jobs.map(({ conclusion }) => conclusion)).toEqual(["success", "success", "success"])
    for (const task of tasks) {
      const n = task.payload.match(/"n":\[(\d+)\]/)?.[1]
      const job = jobs.find(({ name }) => name === `many (${n})`)
      const answer = await fetch(`${server.url}/api/v1/repos/root/killed/actions/jobs/${job?.id}/logs`, { headers: { authorization } })
      const stored = (await answer.text())
        .split("\n")
        .slice(0, -1)
        .map((line) => line.replace(/^\S+Z /, ""))
      expect(stored.length).toBe(task.lines.length)
      expect(stored.findIndex((line, index) => line !== task.lines[index])).toBe(-1)
    }
    await server.stop()
  })
})
