/**
 * Backups while people write and push, each restored and held against what had been acknowledged before it began and what came after; and backups and restores that are killed.
 * `HEARTH_TEST_BACKUPS=20` takes so many, and kills as many times.
 * Long tick: programs are run and waited for.
 */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openPlace } from "../../src/core/backup/place.ts"
import { openBackups } from "../../src/core/backup/snapshots.ts"
import { type ServerProcess, startServer } from "../support/server-process.ts"

const ROUNDS = Number(process.env["HEARTH_TEST_BACKUPS"] ?? 2)
/** For a busy machine: a round takes ten seconds or so on one that is not. */
const PATIENCE_MS = 300_000 + ROUNDS * 60_000
const WRITERS = 8
const PUSHERS = 2
const run = promisify(execFile)
const main = new URL("../../src/command/main.ts", import.meta.url).pathname
const credentials = "root:pass-word-1"
const authorization = `Basic ${Buffer.from(credentials).toString("base64")}`

let folder: string
let server: ServerProcess
let to: string
const dataDir = () => join(folder, "data")

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-backups-"))
  to = join(folder, "backups")
  await openBackups(await openPlace(to, { accessKey: "", secretKey: "" }, { writes: true }), "secret", {
    creates: true,
    cost: { n: 1024, r: 8, p: 1 },
  })
  server = await startServer({ HEARTH_DATA_DIR: dataDir(), HEARTH_ADMIN_PASSWORD: "pass-word-1", HEARTH_BACKUP_PASSPHRASE: "secret" })
  for (let each = 0; each < PUSHERS; each++) {
    const made = await fetch(`${server.url}/api/v1/user/repos`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ name: `r${each}`, auto_init: true }),
    })
    expect(made.status).toBe(201)
  }
})
afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs `hearth`; with `killAfter` it is killed then. Gives its exit code, null if it was killed. */
async function hearth(
  args: readonly string[],
  data: string,
  killAfter?: number,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, "--data-dir", data, ...args], {
    env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"], HEARTH_LOG_LEVEL: "silent", HEARTH_BACKUP_PASSPHRASE: "secret" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
  const timer = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter)
  await once(child, "close")
  clearTimeout(timer)
  return { code: child.exitCode, output }
}

const git = async (cwd: string, ...args: readonly string[]): Promise<string> =>
  (await run("git", ["-c", "user.name=P", "-c", "user.email=p@example.org", ...args], { cwd })).stdout.trim()

/** What was asked for and what was acknowledged, in its order. */
interface World {
  readonly asked: Set<string>
  readonly acknowledged: string[]
  /** The last commit that was acknowledged, by repository and branch. */
  readonly pushed: Map<string, string>
  stop: boolean
}

async function write(world: World, writer: number): Promise<void> {
  for (let count = 0; !world.stop; count++) {
    const title = `${writer}-${count}`
    world.asked.add(title)
    // A connection that breaks off acknowledges nothing.
    const status = await fetch(`${server.url}/api/v1/repos/root/r${writer % PUSHERS}/issues`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ title }),
    }).then(
      (answer) => answer.text().then(() => answer.status),
      () => 0,
    )
    if (status === 201) world.acknowledged.push(title)
    await sleep(20)
  }
}

/** Commits to main, and pushes, deletes and rewrites other references. */
async function push(world: World, pusher: number): Promise<void> {
  const url = new URL(`${server.url}/root/r${pusher}.git`)
  const [username, password] = credentials.split(":")
  url.username = username ?? ""
  url.password = password ?? ""
  const clone = await mkdtemp(join(folder, "clone-"))
  await git(clone, "clone", "-q", url.href, ".")
  for (let count = 0; !world.stop; count++) {
    await writeFile(join(clone, "file"), `${count}`)
    await git(clone, "add", ".")
    await git(clone, "commit", "-qm", `${count}`)
    const id = await git(clone, "rev-parse", "HEAD")
    await git(clone, "push", "-q", "origin", "HEAD:main")
    world.pushed.set(`r${pusher} main`, id)
    await git(clone, "push", "-qf", "origin", `HEAD~${Math.min(count, 3)}:refs/heads/wild`)
    await git(clone, "push", "-q", "origin", `HEAD:refs/tags/t${count}`)
    if (count > 2) await git(clone, "push", "-q", "origin", `:refs/tags/t${count - 2}`)
  }
}

/** Compares what was restored with what its rows say, and with what was acknowledged. */
async function examine(
  data: string,
  { asked }: Pick<World, "asked">,
  before: { readonly titles: readonly string[]; readonly pushed: ReadonlyMap<string, string> },
) {
  const database = new DatabaseSync(join(data, "hearth.db"), { readOnly: true })
  try {
    const titles = new Set(
      database
        .prepare("select title from issues")
        .all()
        .map(({ title }) => String(title)),
    )
    expect(before.titles.filter((title) => !titles.has(title))).toEqual([])
    expect([...titles].filter((title) => !asked.has(title))).toEqual([])
    for (const { id, name, storage } of database.prepare("select id, name, storage from repositories").all()) {
      const rows = [
        ...database.prepare("select 'refs/heads/' || name as ref, commit_id as id from branches where repository_id = ?").all(id ?? 0),
        ...database.prepare("select 'refs/tags/' || name as ref, object_id as id from tags where repository_id = ?").all(id ?? 0),
      ].map((row) => `${row["id"]} ${row["ref"]}`)
      const repository = join(data, "repositories", `${storage}.git`)
      const there = await git(repository, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags")
      expect(there.split("\n").filter(Boolean).toSorted()).toEqual(rows.toSorted())
      await git(repository, "fsck", "--connectivity-only", "--no-dangling")
      const pushed = before.pushed.get(`${name} main`)
      if (pushed !== undefined) await git(repository, "merge-base", "--is-ancestor", pushed, "refs/heads/main")
    }
  } finally {
    database.close()
  }
}

/** Whether a database has nothing that anyone has made. */
function isEmpty(data: string): boolean {
  const database = new DatabaseSync(join(data, "hearth.db"), { readOnly: true })
  try {
    return ["users", "repositories", "issues", "branches"].every((table) => database.prepare(`select 1 from ${table}`).get() === undefined)
  } finally {
    database.close()
  }
}

it("has in each backup all that was acknowledged before, of one moment with what came meanwhile", { timeout: PATIENCE_MS }, async () => {
  const world: World = { asked: new Set(), acknowledged: [], pushed: new Map(), stop: false }
  const work = Promise.all([
    ...Array.from({ length: WRITERS }, (_, each) => write(world, each)),
    ...Array.from({ length: PUSHERS }, (_, each) => push(world, each)),
  ])
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(1_000)
      const before = { titles: [...world.acknowledged], pushed: new Map(world.pushed) }
      expect(await hearth(["backup", to], dataDir())).toMatchObject({ code: 0 })
      const data = join(folder, `restored-${round}`)
      expect(await hearth(["restore", to], data)).toMatchObject({ code: 0 })
      await examine(data, world, before)
      await rm(data, { recursive: true })
    }
  } finally {
    world.stop = true
  }
  await work
  expect(world.acknowledged.length).toBeGreaterThan(20)
})

it("leaves what was there when a backup or a restore is killed, and goes on when it is run again", { timeout: PATIENCE_MS }, async () => {
  const asked = new Set<string>()
  const list = async (): Promise<readonly { readonly id: string }[]> =>
    JSON.parse((await hearth(["backup", "list", to, "--json"], dataDir())).output)
  await mkdir(join(dataDir(), "attachments/ab"), { recursive: true })
  for (let round = 0; round < ROUNDS; round++) {
    // Something new, so that there is something to be killed in.
    await writeFile(
      join(dataDir(), `attachments/ab/abcdef01-0000-4000-8000-00000000000${round % 10}${round > 9 ? "a" : ""}`),
      Buffer.alloc(40 * 2 ** 20, `${round}`),
    )
    const began = performance.now()
    const known = await list()
    const start = performance.now() - began
    const killed = await hearth(["backup", to], dataDir(), start * (0.5 + 1.5 * Math.random()))
    const after = await list()
    // It may have been killed once all was written.
    if (killed.code === 0) expect(after.length).toBe(known.length + 1)
    else expect([known.length, known.length + 1]).toContain(after.length)
    expect((await hearth(["backup", "verify", to], dataDir())).output).toContain("All is well.")
  }
  expect(await hearth(["backup", to], dataDir())).toMatchObject({ code: 0 })
  const database = new DatabaseSync(join(dataDir(), "hearth.db"), { readOnly: true })
  for (const { title } of database.prepare("select title from issues").all()) asked.add(String(title))
  database.close()
  const data = join(folder, "killed")
  const expectWhole = async (): Promise<void> => {
    await examine(data, { asked }, { titles: [...asked], pushed: new Map() })
    expect((await hearth(["doctor"], data)).output).not.toMatch(/^FAIL/m)
  }
  for (let round = 0; round < ROUNDS; round++) {
    const { code } = await hearth(["restore", to], data, 600 + Math.random() * 3_000)
    if (code !== 0) {
      if ((await hearth(["user", "list"], data)).code !== 0) continue
      // No row was stored when it was killed, and this command has begun a site with a key of its own; or it was killed once all was restored.
      if (!isEmpty(data)) await expectWhole()
    }
    await rm(data, { recursive: true })
  }
  expect(await hearth(["restore", to], data)).toMatchObject({ code: 0 })
  await expectWhole()
})
