import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openRunnerClient } from "../../src/servers/runner/testing.ts"
import { basic, must, send } from "../support/http.ts"
import { freePort } from "../support/ports.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"
import { git } from "./load.ts"
import { allWorkers, isThere, openLines, processOf, until } from "./workers.ts"

/**
 * A server of several worker processes, from outside.
 * Slow: each of its servers starts three processes and a supervisor, and again for each that is replaced.
 */

const PASSWORD = "root-pass-1"
const authorization = basic("root", PASSWORD)
const PROCESSES = 3
const run = promisify(execFile)
const MAIN = new URL("../../src/command/main.ts", import.meta.url).pathname

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-processes-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (name: string, more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> =>
  startServer({ HEARTH_DATA_DIR: join(folder, name), HEARTH_ADMIN_PASSWORD: PASSWORD, HEARTH_PROCESSES: String(PROCESSES), ...more })

describe("a server of three processes", () => {
  let server: ServerProcess
  const ask = (method: string, path: string, body?: unknown) => must(server.url, method, path, { authorization, body })
  beforeAll(async () => {
    server = await start("three")
    await allWorkers(server, PROCESSES)
    await ask("POST", "/user/repos", { name: "home", auto_init: true })
    await ask("POST", "/repos/root/home/issues", { title: "First" })
  })
  afterAll(async () => {
    await server.kill()
  })

  it("tells an open page of what happens in another worker, before the page's worker would look by itself", {
    timeout: 60_000,
  }, async () => {
    const took: number[] = []
    for (let round = 0; round < 5; round++) {
      const [reader, writer] = await openLines(server.url, 2)
      const next = await reader?.follow("/root/home/issues/1?live=1")
      expect(await next?.()).toBe("following")
      const written = await writer?.send("POST", "/api/v1/repos/root/home/issues/1/comments", {
        headers: { authorization },
        body: { body: "New" },
      })
      const answered = performance.now()
      expect([written?.status, await next?.()]).toEqual([201, "changed"])
      took.push(performance.now() - answered)
      for (const line of [reader, writer]) line?.close()
    }
    say("an open page hears of a comment that another worker has answered", took)
    // By itself it would look a second after its first look, which is when it begins to follow.
    expect(Math.min(...took)).toBeLessThan(500)
  })

  it("gives a job to a runner that waits at another worker", { timeout: 60_000 }, async () => {
    const workflow = "on: workflow_dispatch\njobs: {one: {runs-on: host, steps: [{run: echo}]}}\n"
    await ask("POST", "/repos/root/home/contents/.gitea/workflows/ci.yml", {
      content: Buffer.from(workflow).toString("base64"),
      message: "CI",
    })
    const { token } = await must<{ readonly token: string }>(server.url, "POST", "/admin/actions/runners/registration-token", {
      authorization,
    })
    const registered = await openRunnerClient(server.url).call("runner.v1.RunnerService/Register", {
      name: "r",
      token,
      labels: ["host"],
      version: "v1",
    })
    const { uuid, token: secret } = registered.body.runner
    const headers = { "x-runner-uuid": String(uuid), "x-runner-token": String(secret), "connect-protocol-version": "1" }
    const took: number[] = []
    for (let round = 0; round < 5; round++) {
      const [poller, writer] = await openLines(server.url, 2)
      const fetchTask = async (tasksVersion: string) => {
        const answer = await poller?.send("POST", "/api/actions/runner.v1.RunnerService/FetchTask", { headers, body: { tasksVersion } })
        return JSON.parse(answer?.text ?? "")
      }
      const { tasksVersion } = await fetchTask("0")
      const waiting = fetchTask(tasksVersion)
      const begun = performance.now()
      const dispatched = await writer?.send("POST", "/api/v1/repos/root/home/actions/workflows/ci.yml/dispatches", {
        headers: { authorization },
        body: { ref: "main" },
      })
      expect(dispatched?.status).toBe(204)
      let { task } = await waiting
      // A wait may end without a task, as for another change.
      while (!task) ({ task } = await fetchTask("0"))
      took.push(performance.now() - begun)
      const result = { id: task.id, result: "RESULT_SUCCESS" }
      await poller?.send("POST", "/api/actions/runner.v1.RunnerService/UpdateTask", { headers, body: { state: result } })
      for (const line of [poller, writer]) line?.close()
    }
    say("a runner has a job that was dispatched at another worker", took)
    // By itself it would look after 30 seconds, or be told to ask again.
    expect(Math.min(...took)).toBeLessThan(2_000)
  })

  it("ends a worker that has stopped with the turn to write, and others write again", { timeout: 60_000 }, async () => {
    const [holder, other] = await openLines(server.url, 2)
    const workers = server.workers()
    const stopped = holder ? await processOf(holder, workers) : 0
    const write = (line: typeof holder) =>
      line?.send("POST", "/api/v1/repos/root/home/issues", { headers: { authorization }, body: { title: "Later" } })
    expect((await write(holder))?.status).toBe(201)
    process.kill(stopped, "SIGSTOP")
    try {
      const begun = performance.now()
      // They are refused where they wait longer than eight seconds.
      expect((await write(other))?.status).toBe(201)
      say("others write again after their worker has stopped with the turn", [performance.now() - begun])
      await until(() => !server.workers().includes(stopped) && server.workers().length === PROCESSES)
      expect(server.output()).toContain(`Worker process ${stopped} has stopped answering`)
    } finally {
      // Otherwise it outlives its supervisor.
      if (server.workers().includes(stopped)) process.kill(stopped, "SIGCONT")
    }
    for (const line of [holder, other]) line?.close()
  })

  it("refuses and cuts off no one while its workers are replaced", { timeout: 120_000 }, async () => {
    const before = await allWorkers(server, PROCESSES)
    const clone = join(folder, "clone")
    await git(folder, "clone", "--quiet", `${server.url}/root/home.git`, clone)
    let isOver = false
    let count = 0
    const failures: string[] = []
    const endlessly = async (step: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        await step().catch((error: unknown) => failures.push(String(error)))
        count += 1
        await sleep(10)
      }
    }
    const expectStatus = (status: number | undefined) => {
      if (status === undefined || status >= 300) throw new Error(`answered with ${status}`)
    }
    const lines = await openLines(server.url, PROCESSES)
    const clients = [
      ...lines.map((line) =>
        endlessly(async () => expectStatus((await line.send("GET", "/api/v1/user", { headers: { authorization } })).status)),
      ),
      ...lines.map((line) =>
        endlessly(async () =>
          expectStatus((await line.send("GET", "/api/v1/repos/root/home", { headers: { connection: "close" } })).status),
        ),
      ),
      endlessly(async () =>
        expectStatus((await send(server.url, "POST", "/repos/root/home/issues", { authorization, body: { title: "More" } })).status),
      ),
      endlessly(async () => {
        await git(clone, "commit", "--quiet", "--allow-empty", "-m", "More")
        await git(clone, "-c", `http.extraHeader=Authorization: ${authorization}`, "push", "--quiet", "origin", "HEAD:more")
      }),
    ]
    server.signal("SIGHUP")
    await until(() => server.workers().length === PROCESSES && !server.workers().some((pid) => before.includes(pid)))
    isOver = true
    await Promise.all(clients)
    console.info(`${count} requests and pushes while all workers were replaced`)
    expect(failures).toEqual([])
    for (const line of lines) line.close()
  })

  it("ends with 0 when it is asked to, and its workers with it, whatever they do", { timeout: 60_000 }, async () => {
    const workers = server.workers()
    expect(await server.stop()).toBe(0)
    expect(workers.filter(isThere)).toEqual([])
  })
})

describe("a start with several processes", () => {
  /** What a start that ends by itself has written, and its exit code. */
  const refused = async (env: Readonly<Record<string, string>>) => {
    const fixed = {
      PATH: process.env["PATH"],
      HEARTH_SSH_PORT: "0",
      HEARTH_HTTP_PORT: "0",
      HEARTH_LOG_LEVEL: "silent",
      HEARTH_PROCESSES: "3",
    }
    try {
      await run(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, "serve"], { env: { ...fixed, ...env }, timeout: 60_000 })
    } catch (error) {
      return { code: Reflect.get(Object(error), "code"), words: String(Reflect.get(Object(error), "stderr")) }
    }
    throw new Error("it was not refused")
  }

  it.each(["65", "-1", "many"])("is refused for HEARTH_PROCESSES=%s", async (processes) => {
    const { code, words } = await refused({ HEARTH_DATA_DIR: join(folder, "never"), HEARTH_PROCESSES: processes })
    expect(code).toBe(2)
    expect(words).toContain("Give a whole number from 0 to 64")
  })

  it("says once that its port is taken, and ends with 1", { timeout: 60_000 }, async () => {
    const port = await freePort()
    const there = createServer().listen(port, "127.0.0.1")
    try {
      const taken = { HEARTH_DATA_DIR: join(folder, "taken"), HEARTH_HTTP_PORT: String(port), HEARTH_HTTP_HOST: "127.0.0.1" }
      const { code, words } = await refused(taken)
      expect([code, words.match(/is taken/g)]).toEqual([1, ["is taken"]])
    } finally {
      await new Promise((resolve) => there.close(resolve))
    }
  })

  it("is refused beside another server on the same folder, and taken at once when that one was killed", { timeout: 60_000 }, async () => {
    const first = await start("shared")
    const workers = await allWorkers(first, PROCESSES)
    expect(first.output().match(/The first administrator is/g)).toHaveLength(1)
    const { code, words } = await refused({ HEARTH_DATA_DIR: join(folder, "shared") })
    expect([code, words.match(/Another server works on/g)]).toEqual([1, ["Another server works on"]])
    await first.kill()
    const second = await start("shared")
    expect((await send(second.url, "GET", "/user", { authorization })).status).toBe(200)
    expect(workers.filter(isThere)).toEqual([])
    await second.kill()
  })
})

/** Prints what was measured: the machine decides about it, and no test does. */
function say(what: string, took: readonly number[]): void {
  const [median] = took.toSorted((a, b) => a - b).slice(Math.floor(took.length / 2))
  console.info(`${what} after ${Math.round(median ?? 0)} ms (${took.map(Math.round).join(", ")})`)
}
