import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type ServerProcess, startServer } from "../../../tests/support/serverProcess.ts"
import { openWorld, type World } from "../repositories/testing.ts"
import { must } from "./testing.ts"

/** How long jobs of a killed process are left alone. */
const LEASE_MS = 30_000
const PASSWORD = "migrating-in-the-dark-7"

let folder: string
let there: World
let server: ServerProcess | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-mirrors-"))
  there = await openWorld("sqlite::memory:")
}, 60_000)
afterAll(async () => {
  await server?.kill()
  await there.close()
  await rm(folder, { recursive: true, force: true })
})

const serve = () =>
  startServer({
    HEARTH_DATA_DIR: join(folder, "data"),
    HEARTH_HTTP_HOST: "127.0.0.1",
    HEARTH_SSH_PORT: "0",
    HEARTH_ADMIN_USERNAME: "root",
    HEARTH_ADMIN_PASSWORD: PASSWORD,
    HEARTH_OUTGOING_ALLOWED_HOSTS: "loopback",
  })

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${server?.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Basic ${btoa(`root:${PASSWORD}`)}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) }
}

/** A way to the other forge on which everything stops that `isHeld` says, until it says so no more. */
async function slowRoad(isHeld: (path: string, body: Buffer) => boolean) {
  let reached = () => {}
  const road = createServer((request, response) => {
    const path = request.url ?? "/"
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => {})
    request.on("end", async () => {
      if (isHeld(path, Buffer.concat(chunks))) return reached()
      const names = ["content-type", "content-encoding", "git-protocol", "accept"]
      const passed = await fetch(`${there.hearth.url}${path}`, {
        method: request.method ?? "GET",
        headers: Object.fromEntries(names.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : []))),
        ...(request.method === "POST" && { body: Buffer.concat(chunks) }),
      })
      const type = passed.headers.get("content-type")
      response.writeHead(passed.status, type ? { "content-type": type } : {}).end(Buffer.from(await passed.arrayBuffer()))
    })
  })
  await new Promise<void>((resolve) => road.listen(0, "127.0.0.1", resolve))
  const address = road.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    /** Resolves once something has stopped. */
    stopped: () => new Promise<void>((resolve) => (reached = resolve)),
    close: () => {
      road.closeAllConnections()
      road.close()
    },
  }
}

test("an import goes on after kill -9, in the middle of git's part and in the middle of the records", async () => {
  const zoe = await there.person("zoe")
  await must(zoe, "POST", "/user/repos", { name: "full", auto_init: true })
  for (let number = 1; number <= 60; number++) await must(zoe, "POST", "/repos/zoe/full/issues", { title: `issue ${number}` })

  let held: "git" | "records" | "nothing" = "git"
  const road = await slowRoad((path, body) =>
    path.endsWith("/git-upload-pack")
      ? held === "git" && body.includes("command=fetch")
      : held === "records" && path.includes("/issues?") && path.includes("page=2"),
  )
  server = await serve()
  const inGit = road.stopped()
  const options = { clone_addr: `${road.url}/zoe/full.git`, repo_name: "full", service: "gitea", issues: true }
  const asked = call("POST", "/repos/migrate", options).catch(() => undefined)
  await inGit
  await server.kill()
  await asked
  const inRecords = road.stopped()
  held = "records"
  server = await serve()
  expect((await call("GET", "/repos/root/full")).body).toMatchObject({ empty: true, open_issues_count: 0 })
  await inRecords
  expect((await call("GET", "/repos/root/full")).body).toMatchObject({ empty: false, open_issues_count: 50 })
  await server.kill()
  held = "nothing"
  server = await serve()
  for (const until = performance.now() + 2 * LEASE_MS; performance.now() < until; await new Promise((resolve) => setTimeout(resolve, 500)))
    if ((await call("GET", "/repos/root/full")).body.open_issues_count === 60) break
  expect((await call("GET", "/repos/root/full")).body).toMatchObject({ empty: false, open_issues_count: 60 })
  expect((await call("GET", "/repos/root/full/branches")).body.length).toBe(1)
  road.close()
}, 150_000)
