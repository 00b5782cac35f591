import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { type FreshUrl, freshUrl } from "../support/database.ts"
import { basic, must } from "../support/http.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"
import { after, databasesOfRunners, linesOf, onPush, withRunner } from "./support/fixture.ts"
import { type Machine, openMachine } from "./support/machine.ts"
import { openProxy, type RunnersProxy } from "./support/proxy.ts"

const authorization = basic("root", "root-pass-1")
const LINES = 3000

withRunner("a connection that is cut", {}, ({ site, check }) => {
  check("24. the answer with a task is lost on the way: the job is given to the runner again", async () => {
    const proxy = await openProxy(site.hearth.url)
    try {
      const machine = await site.machine({ name: "cut", url: proxy.url })
      const lost = proxy.loseAnswer("FetchTask", 300)
      const repository = await site.repository("cut", onPush("build:\n  runs-on: host\n  steps: [{run: echo arrived}]\n"))
      await lost
      const { run, jobs, log } = await site.ended(repository)
      expect([run.conclusion, jobs[0]?.runner_name]).toEqual(["success", "cut"])
      expect(await log()).toContain("arrived")
      const tasks = await site.hearth.services.database.read.selectFrom("action_tasks").select("state").execute()
      expect(tasks).toEqual([{ state: "success" }])
      await machine.stop()
    } finally {
      await proxy.close()
    }
  })
})

describe.each(databasesOfRunners())("a server that ends, on %s", (kind) => {
  let folder: string
  let database: FreshUrl
  let server: ServerProcess
  let proxy: RunnersProxy
  let machine: Machine
  const start = () => startServer({ HEARTH_DATA_DIR: folder, HEARTH_ADMIN_PASSWORD: "root-pass-1", HEARTH_DATABASE_URL: database.url })
  const call = <T>(method: string, path: string, body?: unknown) => must<T>(server.url, method, path, { authorization, body })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-server-"))
    database = await freshUrl(kind)
    server = await start()
    proxy = await openProxy(server.url)
    const { token } = await call<{ readonly token: string }>("POST", "/admin/actions/runners/registration-token")
    machine = await openMachine({ url: proxy.url, token, name: "patient" })
    await machine.start()
  })
  afterAll(async () => {
    await machine.close()
    await proxy.close()
    await server.kill()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it.for(["stop", "kill"] as const)("11. the server is restarted (%s) in a job: the job goes on, and its log has no holes", async (way) => {
    const step = `for i in $(seq ${LINES}); do echo "line $i of ${LINES}"; [ $((i % 100)) = 0 ] && sleep 0.2; done; true`
    await call("POST", "/user/repos", { name: way, auto_init: true, default_branch: "main" })
    const [[path, text] = ["", ""]] = Object.entries(onPush(`build:\n  runs-on: host\n  steps: [{run: '${step}'}]\n`))
    await call("POST", `/repos/root/${way}/contents/${path}`, { content: Buffer.from(text).toString("base64"), message: "start" })
    const log = async () => {
      const { jobs } = await call<{ readonly jobs: readonly { readonly id: number; readonly conclusion: string | null }[] }>(
        "GET",
        `/repos/root/${way}/actions/jobs`,
      )
      const answer = await fetch(`${server.url}/api/v1/repos/root/${way}/actions/jobs/${jobs[0]?.id}/logs`, { headers: { authorization } })
      return {
        conclusion: jobs[0]?.conclusion,
        numbers: answer.status === 200 ? after(linesOf(await answer.text()), "line ").map((line) => Number.parseInt(line, 10)) : [],
      }
    }
    for (const seen of [300, 900, 1500]) {
      await vi.waitFor(async () => expect((await log()).numbers.length).toBeGreaterThan(seen), { timeout: 60_000, interval: 20 })
      await server[way]()
      server = await start()
      proxy.moveTo(server.url)
    }
    await vi.waitFor(async () => expect((await log()).conclusion).toBe("success"), { timeout: 60_000, interval: 200 })
    expect((await log()).numbers).toEqual(Array.from({ length: LINES }, (_, index) => index + 1))
  })
})
