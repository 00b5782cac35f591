import { createHash } from "node:crypto"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type ServerProcess, startServer } from "../../../../tests/support/server-process.ts"
import { createToken } from "../../people/sign-in/credentials/tokens.ts"
import { openWorld, type World } from "../repositories/testing.ts"
import { must } from "./testing.ts"

/** How long the lease of a killed process's jobs lasts. */
const LEASE_MS = 30_000
const PASSWORD = "migrating-in-the-dark-7"

let folder: string
let there: World
let server: ServerProcess | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-mirrors-"))
  there = await openWorld("sqlite")
})
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
    HEARTH_LOG_LEVEL: "trace",
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

/** A proxy to the other forge that holds back requests for as long as `isHeld` returns true for them. */
async function slowRoad(isHeld: (path: string, body: Buffer) => boolean) {
  let reached = () => {}
  const road = createServer((request, response) => {
    const path = request.url ?? "/"
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => {})
    request.on("end", async () => {
      if (isHeld(path, Buffer.concat(chunks))) return reached()
      const names = ["content-type", "content-encoding", "git-protocol", "accept", "authorization"]
      const passed = await fetch(`${there.hearth.url}${path}`, {
        method: request.method ?? "GET",
        headers: Object.fromEntries(names.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : []))),
        ...(request.method === "POST" && { body: Buffer.concat(chunks) }),
        redirect: "manual",
      })
      const type = passed.headers.get("content-type")
      response.writeHead(passed.status, type ? { "content-type": type } : {}).end(Buffer.from(await passed.arrayBuffer()))
    })
  })
  await new Promise<void>((resolve) => road.listen(0, "127.0.0.1", resolve))
  const address = road.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    /** Resolves once a request is held back. */
    stopped: () => new Promise<void>((resolve) => (reached = resolve)),
    close: () => {
      road.closeAllConnections()
      road.close()
    },
  }
}

/** The command lines of all processes that are readable on this machine. */
async function commandLines(): Promise<string> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")))
  return lines.join("\n").replaceAll("\0", " ")
}

/** The files below the data folder that contain any of these words. */
async function filesHolding(words: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(join(folder, "data"), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found: string[] = []
  for (const path of paths) {
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    if (words.some((word) => content.includes(word))) found.push(path)
  }
  return found
}

test("an import resumes after kill -9, in git data, large files and records; its credentials appear nowhere", async () => {
  const zoe = await there.person("zoe")
  const { database, now } = there.hearth.services
  const { token } = await database.write((tx) => createToken(tx, { userId: zoe.id, name: "mirror", scopes: ["all"], now: now() }))
  await must(zoe, "POST", "/user/repos", { name: "full", auto_init: true, private: true })
  for (let number = 1; number <= 60; number++) await must(zoe, "POST", "/repos/zoe/full/issues", { title: `issue ${number}` })
  const film = Buffer.from("a film".repeat(100_000))
  const oid = createHash("sha256").update(film).digest("hex")
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${film.length}\n`
  const authorization = `Basic ${btoa(`zoe:${token}`)}`
  await fetch(`${there.hearth.url}/zoe/full.git/info/lfs/objects/${oid}/${film.length}`, {
    method: "PUT",
    headers: { authorization },
    body: new Uint8Array(film),
  })
  await must(zoe, "POST", "/repos/zoe/full/contents/film", { content: btoa(pointer), message: "film" })

  let held: "git" | "lfs" | "records" | "nothing" = "git"
  const road = await slowRoad((path, body) => {
    if (path.endsWith("/git-upload-pack")) return held === "git" && body.includes("command=fetch")
    if (path.endsWith("/objects/batch")) return held === "lfs"
    return held === "records" && path.includes("/issues?") && path.includes("page=2")
  })
  const secrets = [token, btoa(`oauth2:${token}`)]
  const seen = async () => ({
    inLines: secrets.some((word) => lines.includes(word)),
    inFiles: await filesHolding(secrets),
    inOutput: secrets.some((word) => output.includes(word)),
  })
  const nowhere = { inLines: false, inFiles: [], inOutput: false }
  let [lines, output] = ["", ""]

  server = await serve()
  const inGit = road.stopped()
  const options = {
    clone_addr: `${road.url}/zoe/full.git`,
    repo_name: "full",
    service: "gitea",
    issues: true,
    lfs: true,
    lfs_endpoint: `${road.url}/zoe/full.git/info/lfs`,
    auth_token: token,
  }
  const asked = call("POST", "/repos/migrate", options).catch(() => undefined)
  await inGit
  lines = await commandLines()
  output = server.output()
  expect(lines).toContain(`git-remote-http ${road.url}/zoe/full.git`)
  expect(await seen()).toEqual(nowhere)
  await server.kill()
  await asked

  held = "lfs"
  const inLfs = road.stopped()
  server = await serve()
  expect((await call("GET", "/repos/root/full")).body).toMatchObject({ empty: true, open_issues_count: 0 })
  expect((await call("GET", "/repos/root/full/import")).body.steps[0]).toMatchObject({ name: "git", state: "running" })
  await inLfs
  expect((await call("GET", "/repos/root/full")).body).toMatchObject({ empty: false })
  expect((await call("GET", "/repos/root/full/import")).body.steps[1]).toMatchObject({ name: "large_files", state: "running" })
  await server.kill()

  held = "records"
  const inRecords = road.stopped()
  server = await serve()
  await inRecords
  const media = await fetch(`${server.url}/api/v1/repos/root/full/media/film`, {
    headers: { authorization: `Basic ${btoa(`root:${PASSWORD}`)}` },
  })
  expect(Buffer.from(await media.arrayBuffer()).equals(film)).toBe(true)
  expect((await call("GET", "/repos/root/full")).body).toMatchObject({ open_issues_count: 50 })
  const { steps } = (await call("GET", "/repos/root/full/import")).body
  expect(steps.find(({ name }: { readonly name: string }) => name === "issues")).toMatchObject({ state: "running", done: 50 })
  lines = await commandLines()
  output = server.output()
  expect(await seen()).toEqual(nowhere)
  await server.kill()

  held = "nothing"
  server = await serve()
  const whole = { empty: false, open_issues_count: 60 }
  await expect.poll(async () => (await call("GET", "/repos/root/full")).body, { timeout: 4 * LEASE_MS, interval: 500 }).toMatchObject(whole)
  expect((await call("GET", "/repos/root/full/branches")).body.length).toBe(1)
  road.close()
})
