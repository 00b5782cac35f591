/**
 * Code search over a million lines: `node --disable-warning=ExperimentalWarning bench/code-search.ts [--postgres]`. The text is what npm has
 * installed here, spread over a hundred repositories (`BENCH_REPOSITORIES`), half of which are private.
 */
import { execFile } from "node:child_process"
import { cp, glob, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { sql } from "kysely"
import { startHearth } from "../src/app.ts"
import { type Actor, anonymous, signedInAs } from "../src/core/actor.ts"
import type { CodeSearch } from "../src/features/code/search/candidates-store.ts"
import { indexCode } from "../src/features/code/search/index-repository.ts"
import { searchCode } from "../src/features/code/search/search.ts"
import { closeDatabases, freshDatabaseUrl } from "./database.ts"
import { ADMIN } from "./server.ts"

const run = promisify(execFile)
const LINES = Number(process.env["BENCH_LINES"] ?? 1_000_000)
const REPOSITORIES = Number(process.env["BENCH_REPOSITORIES"] ?? 100)
const RUNS = 9

interface Source {
  readonly from: string
  readonly path: string
  readonly lines: number
}

async function sources(): Promise<readonly Source[]> {
  const found: Source[] = []
  let lines = 0
  const paths: string[] = []
  for await (const path of glob("**/*.{js,mjs,cjs,ts,md}", { cwd: "node_modules" })) paths.push(path)
  for (const path of paths.toSorted()) {
    if (lines >= LINES) break
    const file = join("node_modules", path)
    const { size } = await stat(file)
    if (/\.min\.js$/.test(path) || size > 400_000 || size === 0) continue
    const count = (await readFile(file, "utf8")).split("\n").length
    found.push({ from: file, path: path.replaceAll("node_modules", "deps"), lines: count })
    lines += count
  }
  console.log(`${found.length} files with ${lines} lines`)
  return found
}

const folder = await mkdtemp(join(tmpdir(), "hearth-bench-search-"))
const hearth = await startHearth({
  config: {
    dataDir: join(folder, "data"),
    databaseUrl: await freshDatabaseUrl(folder),
    http: { port: 0 },
    ssh: { port: 0 },
    log: { level: "error" },
    admin: { username: ADMIN.name, password: ADMIN.password },
  },
})
const { services } = hearth
const { database } = services

async function api(user: string, method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${hearth.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Basic ${btoa(`${user}:${ADMIN.password}`)}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
}

/** Repositories are pushed as people do it. */
async function fill(): Promise<void> {
  const all = await sources()
  const each = Math.ceil(all.length / REPOSITORIES)
  await api(ADMIN.name, "POST", "/admin/users", {
    username: "reader",
    email: "reader@example.com",
    password: ADMIN.password,
    must_change_password: false,
  })
  for (let index = 0; index < REPOSITORIES; index++) {
    const name = `part-${index}`
    const clone = join(folder, name)
    const files = all.slice(index * each, (index + 1) * each)
    if (files.length === 0) break
    for (const { from, path } of files) {
      await mkdir(dirname(join(clone, path)), { recursive: true })
      await cp(from, join(clone, path))
    }
    await api(ADMIN.name, "POST", "/user/repos", { name, private: index % 2 === 0 })
    if (index % 4 === 0) await api(ADMIN.name, "PUT", `/repos/${ADMIN.name}/${name}/collaborators/reader`, { permission: "read" })
    const url = new URL(`${hearth.url}/${ADMIN.name}/${name}.git`)
    url.username = ADMIN.name
    url.password = ADMIN.password
    const git = (...args: readonly string[]) =>
      run("git", ["-c", "user.name=Root", "-c", "user.email=root@example.com", ...args], { cwd: clone })
    await git("init", "-q", "-b", "main")
    await git("add", "-A", "-f")
    await git("commit", "-q", "-m", "All")
    await git("push", "-q", url.href, "main")
    await rm(clone, { recursive: true })
  }
  await services.jobs.drain()
}

async function index(): Promise<void> {
  await database.write(async (tx) => {
    for (const table of ["code_indexes", "code_files", "code_blobs"] as const) await tx.deleteFrom(table).execute()
  })
  const begun = performance.now()
  const told = await indexCode.run(services, new AbortController().signal)
  const seconds = (performance.now() - begun) / 1000
  const { rows } = await sql<{ files: number; size: number; lines: number }>`select count(*) as files, sum(length(content)) as size,
    sum(length(content) - length(replace(content, ${"\n"}, ''))) as lines from code_blobs`.execute(database.read)
  console.log(`${told} in ${seconds.toFixed(1)} s: ${JSON.stringify(rows[0])}`)
}

async function measure(): Promise<void> {
  const reader = await database.read.selectFrom("users").selectAll().where("lower_name", "=", "reader").executeTakeFirstOrThrow()
  const root = await database.read.selectFrom("users").selectAll().where("lower_name", "=", ADMIN.name).executeTakeFirstOrThrow()
  const one = await database.read.selectFrom("repositories").select("id").where("lower_name", "=", "part-5").executeTakeFirstOrThrow()
  const people: readonly (readonly [string, Actor])[] = [
    ["administrator", signedInAs(root)],
    ["reader", signedInAs(reader)],
    ["anonymous", anonymous],
  ]
  const searches: readonly (readonly [string, CodeSearch])[] = [
    ["rare word", { q: "getOwnPropertyDescriptors" }],
    ["nothing", { q: "a_word_that_nobody_wrote" }],
    ["phrase", { q: "export declare function create" }],
    ["common word", { q: "function" }],
    ["common, second language", { q: "return", language: "TypeScript" }],
    ["two letters", { q: "if" }],
    ["words", { q: "promise resolve reject", mode: "words" }],
    ["regexp, rare", { q: "create\\w+Server\\(", mode: "regexp" }],
    ["regexp, common", { q: "return (true|false);", mode: "regexp" }],
    ["regexp without literals", { q: "[a-z]+[0-9]{6}", mode: "regexp" }],
    ["path and language", { q: "import path:*test* lang:javascript" }],
    ["one repository", { q: "const", repositoryId: one.id }],
  ]
  for (const [name, search] of searches)
    for (const [who, actor] of people) {
      const times: number[] = []
      let total = 0
      let partial = false
      for (let at = 0; at < RUNS; at++) {
        const begun = performance.now()
        const found = await searchCode(database.read, actor, search, { limit: 20, offset: 0 })
        times.push(performance.now() - begun)
        total = found.total
        partial = found.isPartial
      }
      const sorted = times.toSorted((a, b) => a - b)
      const fastest = sorted[0] ?? 0
      const median = sorted[Math.floor(RUNS / 2)] ?? 0
      console.log(
        `${name.padEnd(26)} ${who.padEnd(14)} ${String(total).padStart(6)}${partial ? "+" : " "} files, fastest ${fastest.toFixed(1)} ms, median ${median.toFixed(1)} ms, slowest ${(sorted.at(-1) ?? 0).toFixed(1)} ms`,
      )
    }
}

try {
  await fill()
  await index()
  await measure()
} finally {
  await hearth.close()
  await closeDatabases()
  await rm(folder, { recursive: true, force: true })
}
