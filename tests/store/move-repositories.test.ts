/** A site with PostgreSQL and its repositories move into an object store and back: while people push, with a mover that is killed, and with servers stopped only for the switch. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ok } from "../../src/git/testing.ts"
import { type FreshUrl, freshUrl } from "../support/database.ts"
import { basic } from "../support/hearth.ts"
import { freePort } from "../support/ports.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"
import { openTestStore, type TestStore } from "./support/store.ts"

const PASSWORD = "a-long-password"
const authorization = basic("root", PASSWORD)
const main = new URL("../../src/command/main.ts", import.meta.url).pathname

type Settings = Readonly<Record<string, string>>

let store: TestStore
let fresh: FreshUrl
let root: string
let server: ServerProcess | undefined
/** Without the object store, and with it. */
let alone: Settings
let shared: Settings
let url: string

beforeAll(async () => {
  store = await openTestStore()
  fresh = await freshUrl("postgres")
  root = await mkdtemp(join(tmpdir(), "hearth-move-"))
  const port = String(await freePort())
  url = `http://127.0.0.1:${port}`
  alone = {
    HEARTH_DATA_DIR: join(root, "data"),
    HEARTH_ADMIN_PASSWORD: PASSWORD,
    HEARTH_DATABASE_URL: fresh.url,
    HEARTH_HTTP_PORT: port,
    HEARTH_ROOT_URL: url,
    HEARTH_SECURITY_SECRET_KEY: "ab".repeat(32),
  }
  shared = {
    ...alone,
    HEARTH_STORAGE_URL: store.storage.url,
    HEARTH_STORAGE_ACCESS_KEY: store.storage.accessKey,
    HEARTH_STORAGE_SECRET_KEY: store.storage.secretKey,
  }
})
afterAll(async () => {
  await server?.kill()
  await store.close()
  await fresh.drop()
  await rm(root, { recursive: true, force: true })
})

interface Command {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly words: string }>
}

function hearth(env: Settings, ...words: readonly string[]): Command {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...words], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
  return { child, ended: once(child, "close").then(() => ({ code: child.exitCode, words: said })) }
}

async function done(...words: readonly string[]): Promise<string> {
  const { code, words: said } = await hearth(shared, ...words).ended
  expect(code, said).toBe(0)
  return said
}

async function call(route: string, body?: object): Promise<unknown> {
  const [method = "", path = ""] = route.split(" ")
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(answer.status, route).toBeLessThan(300)
  return answer.json()
}

const commitTo = (name: string, path: string) =>
  call(`POST /repos/root/${name}/contents/${path}`, { content: Buffer.from(path).toString("base64"), message: `Add ${path}` })

/** What git says of all references, of the repository and of its wiki; without merges that servers try, which are made anew. */
async function referencesOf(name: string): Promise<string> {
  const address = `${url.replace("//", `//root:${PASSWORD}@`)}/root/${name}`
  const lines = `${await ok(root, "ls-remote", `${address}.git`)}\n${await ok(root, "ls-remote", `${address}.wiki.git`)}`.split("\n")
  return lines.filter((line) => !line.endsWith("/merge")).join("\n")
}

async function filesOf(name: string): Promise<number> {
  const folder = await mkdtemp(join(root, "clone-"))
  await ok(root, "clone", "-q", `${url.replace("//", `//root:${PASSWORD}@`)}/root/${name}.git`, folder)
  return (await readdir(folder)).filter((each) => each !== ".git").length
}

const NAMES = Array.from({ length: 3 }, (_, index) => `r${index}`)

test("into the store and back, and nothing is lost", async () => {
  server = await startServer(alone)
  for (const name of NAMES) {
    await call("POST /user/repos", { name, auto_init: true })
    await commitTo(name, "first")
    await call(`POST /repos/root/${name}/wiki/new`, {
      title: "Home",
      content_base64: Buffer.from("Home").toString("base64"),
      message: "Home",
    })
  }
  await call("POST /repos/root/r0/branches", { new_branch_name: "work" })
  await call("POST /repos/root/r0/contents/second", { content: "YQ==", message: "Second", branch: "work" })
  await call("POST /repos/root/r0/pulls", { title: "Second", head: "work", base: "main" })
  const upload = await fetch(`${url}/api/packages/root/generic/files/1.0/file`, {
    method: "PUT",
    headers: { authorization },
    body: "a file",
  })
  expect(upload.status).toBe(201)

  expect(await done("storage", "move", "--to", "store", "--dry-run")).toContain("6 of 6 repositories and wikis")
  // Killed in the middle; what it has brought stays.
  const mover = hearth(shared, "storage", "move", "--to", "store")
  while (mover.child.exitCode === null && (await countRows()) < 2) await sleep(5)
  mover.child.kill("SIGKILL")
  expect((await mover.ended).code).toBeNull()
  const copied = await done("storage", "move", "--to", "store")
  expect(copied).toContain("Nothing has changed for servers.")
  expect(copied).toMatch(/of 6 repositories and wikis copied from the data folder to the object store/)

  // Servers go on with the folder, and none starts with the store yet.
  await commitTo("r1", "later")
  await expect(startServer({ ...shared, HEARTH_HTTP_PORT: "0" })).rejects.toThrow(
    "3 repositories are in the data folder, and not in the object store.",
  )
  const early = await hearth(shared, "storage", "move", "--to", "store", "--switch").ended
  expect(early).toEqual({ code: 1, words: expect.stringContaining("Stop all servers first") })
  const references = await Promise.all(NAMES.map(referencesOf))
  await server.stop()
  const switched = await done("storage", "move", "--to", "store", "--switch")
  expect(switched).toContain("1 of 6 repositories and wikis copied from the data folder to the object store; 5 were the same.")
  expect(switched).toMatch(/1 file \(6 bytes\) moved from the data folder to the object store/)

  server = await startServer(shared)
  expect(await Promise.all(NAMES.map(referencesOf))).toEqual(references)
  expect(await filesOf("r1")).toBe(3)
  await commitTo("r2", "in-the-store")
  // What is older is not brought over what is newer.
  const again = await done("storage", "move", "--to", "store", "--remove")
  expect(again).toContain("Servers keep repositories in the object store already.")
  expect(again).toContain("6 copies of repositories and wikis removed")
  expect(await filesOf("r2")).toBe(3)
  expect((await readdir(join(root, "data", "repositories"), { recursive: true })).filter((name) => name.endsWith(".git"))).toEqual([])
  const doctor = await done("doctor", "--deep")
  expect(doctor).toContain("ok    repositories: 6, each stored")
  expect(doctor).toContain("ok    objects: all there in 6 repositories")
  expect(doctor).toMatch(/^ok {4}packs: the files of all \d+ are in the object store$/m)
  expect(doctor).toMatch(/^ok {4}cache of repositories: /m)

  // Back: first beside the server, then without it.
  expect(await done("storage", "move", "--to", "folder")).toContain("6 of 6 repositories and wikis copied")
  await commitTo("r0", "last")
  const last = await Promise.all(NAMES.map(referencesOf))
  await server.stop()
  const back = await done("storage", "move", "--to", "folder", "--switch", "--remove")
  expect(back).toContain("1 of 6 repositories and wikis copied from the object store to the data folder; 5 were the same.")
  expect(back).toContain("6 copies of repositories and wikis removed from the object store.")
  expect(await countRows()).toBe(0)
  expect((await readdir(store.folder, { recursive: true })).filter((name) => /\.(pack|idx)$/.test(name))).toEqual([])
  server = await startServer(alone)
  expect(await Promise.all(NAMES.map(referencesOf))).toEqual(last)
  expect([await filesOf("r2"), await filesOf("r0")]).toEqual([3, 3])
  const file = await fetch(`${url}/api/packages/root/generic/files/1.0/file`, { headers: { authorization } })
  expect(await file.text()).toBe("a file")
  await server.stop()
  server = undefined
})

/** The repositories that are stored. */
async function countRows(): Promise<number> {
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  try {
    const { rows } = await client.query("select count(*)::int as count from stored_repositories")
    return Number(rows[0].count)
  } finally {
    await client.end()
  }
}
