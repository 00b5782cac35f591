/** Files are moved to an object store and back while a server runs, people write and read, and whatever moves them is killed again and again. */
import { type ChildProcess, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { basic } from "../support/hearth.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"
import { openTestStore, type TestStore } from "./support/store.ts"

const PASSWORD = "a-long-password"
const authorization = basic("root", PASSWORD)
const main = new URL("../../src/command/main.ts", import.meta.url).pathname

let store: TestStore
let folder: string
let server: ServerProcess | undefined

beforeAll(async () => {
  store = await openTestStore()
  folder = await mkdtemp(join(tmpdir(), "hearth-move-"))
})
afterAll(async () => {
  await server?.kill()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const installation = (): Readonly<Record<string, string>> => ({ HEARTH_DATA_DIR: folder, HEARTH_ADMIN_PASSWORD: PASSWORD })
const storage = (place: "store" | "folder"): Readonly<Record<string, string>> => ({
  ...installation(),
  HEARTH_STORAGE_URL: store.storage.url,
  HEARTH_STORAGE_ACCESS_KEY: store.storage.accessKey,
  HEARTH_STORAGE_SECRET_KEY: store.storage.secretKey,
  HEARTH_STORAGE_PLACE: place,
})

async function serve(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  await server?.stop()
  server = await startServer(env)
  return server
}

/** The digests of all files that are there, by name. */
const there = new Map<string, string>()
const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const addressOf = (at: ServerProcess, name: string): string => `${at.url}/api/packages/root/generic/moved/1.0/${name}`

async function put(at: ServerProcess, name: string, size: number): Promise<void> {
  const bytes = randomBytes(size)
  const answer = await fetch(addressOf(at, name), { method: "PUT", headers: { authorization }, body: bytes })
  expect(answer.status, await answer.text()).toBe(201)
  there.set(name, digestOf(bytes))
}

async function check(at: ServerProcess, name: string): Promise<void> {
  // An address at the store is no longer good once the file has been moved away from it: then the server is asked again.
  const get = () => fetch(addressOf(at, name), { headers: { authorization } })
  let answer = await get()
  if (answer.redirected && answer.status === 404) answer = await get()
  expect(answer.status, name).toBe(200)
  expect(digestOf(new Uint8Array(await answer.arrayBuffer())), name).toBe(there.get(name))
}

async function checkAll(at: ServerProcess): Promise<void> {
  for (const name of there.keys()) await check(at, name)
}

/** How long people pause between what they do: what they write meanwhile is moved as well, and all of it is read and moved again and again. */
const PAUSE_MS = 40

/** Writes, reads and deletes until it is told to stop. */
async function work(at: ServerProcess, label: string, signal: AbortSignal): Promise<number> {
  let round = 0
  for (; !signal.aborted; round++) {
    await put(at, `${label}-${round}`, 1 + ((round * 7_919) % 60_000))
    // Not what the others delete.
    const names = [...there.keys()].filter((name) => name.startsWith(label) || name.startsWith("first"))
    await check(at, names[(round * 31) % names.length] ?? "")
    await sleep(PAUSE_MS)
    if (round % 5 !== 4) continue
    const name = `${label}-${round - 2}`
    expect((await fetch(addressOf(at, name), { method: "DELETE", headers: { authorization } })).status).toBe(204)
    there.delete(name)
  }
  return round
}

interface Mover {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly words: string }>
}

function move(env: Readonly<Record<string, string>>, ...more: readonly string[]): Mover {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, "storage", "move", ...more], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let words = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      words += text
    })
  return { child, ended: once(child, "close").then(() => ({ code: child.exitCode, words })) }
}

const filesIn = async (root: string): Promise<number> => {
  const all = await readdir(join(root, "packages"), { recursive: true, withFileTypes: true }).catch(() => [])
  return all.filter((entry) => entry.isFile() && !entry.name.endsWith(".part")).length
}

/** Moves while people work, and kills the mover as soon as it has moved some; then lets one come to its end. Gives how often it was killed. */
async function moveAmidWork(at: ServerProcess, env: Readonly<Record<string, string>>, from: string, label: string): Promise<void> {
  const stopped = new AbortController()
  const workers = [work(at, `${label}-one`, stopped.signal), work(at, `${label}-two`, stopped.signal)]
  try {
    for (let kills = 0; kills < 2; kills++) {
      const before = await filesIn(from)
      const mover = move(env)
      while (mover.child.exitCode === null && (await filesIn(from)) > before - 5) await sleep(5)
      mover.child.kill("SIGKILL")
      const { code, words } = await mover.ended
      expect(code, words).toBeNull()
    }
    const { code, words } = await move(env).ended
    expect(code, words).toBe(0)
  } finally {
    stopped.abort()
  }
  for (const rounds of await Promise.all(workers)) expect(rounds).toBeGreaterThan(0)
  // What was begun before the setting was changed, or is left of the last round.
  const { code, words } = await move(env).ended
  expect(code, words).toBe(0)
}

test("nothing is lost, and nobody sees it", async () => {
  let at = await serve(installation())
  for (let index = 0; index < 80; index++) await put(at, `first-${index}`, index * 1_500)
  await put(at, "large", 20 * 2 ** 20 + 3)
  expect(await filesIn(folder)).toBe(there.size)

  at = await serve(storage("store"))
  await checkAll(at)
  const counted = await move(storage("store"), "--dry-run").ended
  expect(counted.words).toMatch(/^81 files \(\d+\.\d MiB\) would be moved from the data folder to the object store\.$/m)
  await moveAmidWork(at, storage("store"), folder, "out")
  expect(await filesIn(folder)).toBe(0)
  await checkAll(at)

  // All of it can be read without the folder's files, and the other way round below.
  at = await serve(storage("folder"))
  await moveAmidWork(at, storage("folder"), store.folder, "back")
  expect(await filesIn(store.folder)).toBe(0)
  at = await serve(installation())
  await checkAll(at)
})

test("one signal stops it after the files that are under way, and it says how to go on", async () => {
  store.disturb((method) => (method === "PUT" ? "late" : "none"))
  const before = await filesIn(folder)
  // What the command is told wins over the setting.
  const mover = move(storage("folder"), "--to", "store")
  while (mover.child.exitCode === null && (await filesIn(folder)) === before) await sleep(20)
  mover.child.kill("SIGINT")
  const { code, words } = await mover.ended
  store.disturb(undefined)
  expect(code).toBe(1)
  expect(words).toMatch(/^[4-9] files \(.*\) moved from the data folder to the object store\.$/m)
  expect(words).toContain("Run it again to go on.")
})

test("a store that fails stops it in words, and nothing is removed", async () => {
  store.disturb((method) => (method === "PUT" ? "failing" : "none"))
  const before = await filesIn(folder)
  const { code, words } = await move(storage("store")).ended
  store.disturb(undefined)
  expect([code, await filesIn(folder)]).toEqual([1, before])
  expect(words).toContain("The object store fails: the object store refuses with 500, InternalError, We are sorry.")
})

test("the doctor says what is where", async () => {
  await server?.stop()
  const doctor = async (env: Readonly<Record<string, string>>) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, "doctor", "--no-fsck"], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "inherit"],
    })
    let words = ""
    for await (const text of child.stdout.setEncoding("utf8")) words += text
    return words
  }
  const words = await doctor(storage("store"))
  expect(words).toContain("ok    object store: written to, read and removed from")
  expect(words).toContain("ok    object store: its clock and this one agree")
  expect(words).toMatch(/warn {2}\d+ files \(.*\) are still in the data folder/)
  expect(words).not.toContain(store.storage.secretKey)
  expect(await filesIn(store.folder)).toBeGreaterThan(0)
  expect((await readdir(join(store.folder))).includes("probe")).toBe(false)
  const wrong = await doctor({ ...storage("store"), HEARTH_STORAGE_SECRET_KEY: "wrong" })
  expect(wrong).toMatch(/FAIL {2}The object store can't be used: bucket hearth at .*SignatureDoesNotMatch/)
})

test("without a store there is nothing to move, and drafts stay where they are", async () => {
  const { code, words } = await move(installation()).ended
  expect([code, words]).toEqual([1, expect.stringContaining("There is no object store.")])
  await writeFile(join(folder, "packages", "draft.part"), "half")
  await move(storage("store")).ended
  expect(await readdir(join(folder, "packages"))).toContain("draft.part")
})
