/**
 * What it costs that servers share repositories: `node bench/shared.ts VERSITYGW [REPOSITORY…]`. Three kinds of server one after the other, each alone on PostgreSQL that flushes: repositories in
 * folders (also on SQLite), and in the database and an object store (versitygw, which must be built: tests/store/go.mod). Then clones of these repositories from a server that has them at hand, and
 * from servers that have never seen them.
 */
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import { startPostgres } from "../tests/support/postgres.ts"
import { ADMIN, freePort, type Server, startServer } from "./server.ts"

const run = promisify(execFile)
const COMMITS = Number(process.env["COMMITS"] ?? 200)
const PUSHES = Number(process.env["PUSHES"] ?? 30)
const base64 = (text: string): string => Buffer.from(text).toString("base64")
const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

async function versitygw(program: string, folder: string) {
  const port = await freePort()
  await mkdir(join(folder, "objects", "hearth"), { recursive: true })
  const child = spawn(program, ["--port", `127.0.0.1:${port}`, "posix", join(folder, "objects")], {
    env: { ROOT_ACCESS_KEY: "access", ROOT_SECRET_KEY: "secret" },
    stdio: "ignore",
  })
  for (let tries = 0; tries < 100; tries++) {
    if (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) break
    await sleep(50)
  }
  const settings = {
    HEARTH_STORAGE_URL: `s3://hearth?endpoint=http://127.0.0.1:${port}&region=us-east-1&path_style=true`,
    HEARTH_STORAGE_ACCESS_KEY: "access",
    HEARTH_STORAGE_SECRET_KEY: "secret",
    HEARTH_SECURITY_SECRET_KEY: randomBytes(32).toString("hex"),
    HEARTH_ROOT_URL: "http://localhost:3000",
  }
  return { settings, stop: () => child.kill() }
}

async function figures(server: Server, folder: string): Promise<Readonly<Record<string, number>>> {
  await server.api("POST", "/user/repos", { name: "bricks", auto_init: true })
  const at = `/repos/${ADMIN.name}/bricks`
  const create = async (name: string, more: object = {}): Promise<void> => {
    const made = await server.api("POST", `${at}/contents/${name}`, { content: base64(`${name}\n`), ...more })
    if (!made.ok) throw new Error(`${name}: ${made.status} ${await made.text()}`)
    await made.arrayBuffer()
  }
  const rate = async (count: number, work: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now()
    await work()
    return count / ((performance.now() - begun) / 1000)
  }
  const one = await rate(COMMITS, async () => {
    for (let index = 0; index < COMMITS; index++) await create(`brick-${index}.txt`)
  })
  const wall = async (branch: string): Promise<void> => {
    await create(`${branch}/first.txt`, { new_branch: branch })
    for (let index = 1; index < COMMITS / 4; index++) await create(`${branch}/brick-${index}.txt`, { branch })
  }
  const eight = await rate(2 * COMMITS, () => Promise.all(Array.from({ length: 8 }, (_, index) => wall(`wall-${index}`))))

  const work = join(folder, `work-${randomBytes(4).toString("hex")}`)
  const url = `${server.url.replace("://", `://${ADMIN.name}:${ADMIN.password}@`)}/${ADMIN.name}/bricks.git`
  await run("git", ["clone", "-q", url, work])
  const times: number[] = []
  for (let index = 0; index < PUSHES; index++) {
    await writeFile(join(work, `pushed-${index}`), `${index}\n`)
    await run("git", ["add", "."], { cwd: work })
    await run("git", ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "more"], { cwd: work })
    const begun = performance.now()
    await run("git", ["push", "-q"], { cwd: work })
    times.push(performance.now() - begun)
  }
  return { "commits by API, one after another, /s": one, "commits by API, 8 branches, /s": eight, "push of one commit, ms": median(times) }
}

/** A clone from a server that has the repository at hand, and one from a server that was just started: medians of three. In milliseconds. */
async function clones(settings: Readonly<Record<string, string>>, folder: string, repository: string) {
  const warm = await startServer(undefined, settings)
  const clone = async ({ url }: Server): Promise<number> => {
    const target = join(folder, `clone-${randomBytes(4).toString("hex")}`)
    const begun = performance.now()
    await run("git", ["clone", "-q", "--bare", `${url}/${ADMIN.name}/history.git`, target])
    const took = performance.now() - begun
    await rm(target, { recursive: true })
    return took
  }
  try {
    await warm.api("POST", "/user/repos", { name: "history" })
    const url = `${warm.url.replace("://", `://${ADMIN.name}:${ADMIN.password}@`)}/${ADMIN.name}/history.git`
    await run("git", ["-C", repository, "push", "-q", url, "HEAD:refs/heads/main"])
    const times: number[] = []
    const colds: number[] = []
    for (let round = 0; round < 3; round++) {
      times.push(await clone(warm))
      const cold = await startServer(undefined, settings)
      try {
        colds.push(await clone(cold))
      } finally {
        await cold.stop()
      }
    }
    return { warm: median(times), cold: median(colds) }
  } finally {
    await warm.stop()
  }
}

const [program = "versitygw", ...repositories] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), "hearth-shared-"))
const postgres = await startPostgres(["fsync=on", "synchronous_commit=on", "shared_buffers=256MB"])
const store = await versitygw(program, folder)
const only = process.env["ONLY"]
try {
  const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "folders, SQLite": {},
    "folders, PostgreSQL": { HEARTH_DATABASE_URL: await fresh() },
    "shared, PostgreSQL and store": { ...store.settings, HEARTH_DATABASE_URL: await fresh() },
  }
  for (const [name, settings] of Object.entries(kinds)) {
    if (only && !name.includes(only)) continue
    const server = await startServer(undefined, { HEARTH_PROCESSES: "1", ...settings })
    try {
      const found = await figures(server, folder)
      for (const [what, figure] of Object.entries(found)) console.log(`${name.padEnd(32)} ${what.padEnd(42)} ${figure.toFixed(1)}`)
    } finally {
      await server.stop()
    }
  }
  for (const repository of repositories) {
    const { warm, cold } = await clones(
      { HEARTH_PROCESSES: "1", ...store.settings, HEARTH_DATABASE_URL: await fresh() },
      folder,
      repository,
    )
    console.log(`${repository}: cloned warm ${warm.toFixed(0)} ms, cold ${cold.toFixed(0)} ms: ${(cold / warm).toFixed(2)} ×`)
  }
} finally {
  store.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

async function fresh(): Promise<string> {
  const name = `bench_${randomBytes(6).toString("hex")}`
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return new URL(`/${name}`, postgres.url).href
}
