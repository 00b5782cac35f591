/**
 * Issues created in one repository by 32 writers, each of whom waits for the answer before the next, and in as many repositories as there are writers:
 * `node bench/writers.ts`, with `--postgres` on a PostgreSQL that flushes to the disk. `BENCH_SECONDS=10` for each figure, `BENCH_ROUNDS=3`,
 * `BENCH_WRITERS=32`; `BENCH_PROCESSES=2` for as many processes of the server.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { closeDatabases, freshDatabaseUrl, onPostgres } from "./database.ts"
import { lightLoad, tokenOf } from "./light.ts"
import { ADMIN, startServer } from "./server.ts"

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 10)
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3)
const WRITERS = Number(process.env["BENCH_WRITERS"] ?? 32)
const PROCESSES = Number(process.env["BENCH_PROCESSES"] ?? 1)
const SAMPLE_EVERY_MS = 20
const body = JSON.stringify({ title: "A plan", body: "What is to be done, and why." })

/** Time of processors that these processes have taken, in milliseconds. */
async function processorMsOf(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")))
  const ticks = stats.map((stat) => (stat.split(") ").at(-1)?.split(" ") ?? []).slice(11, 13).reduce((sum, each) => sum + Number(each), 0))
  return ticks.reduce((sum, each) => sum + each * 10, 0)
}

interface Watched<R> {
  readonly result: R
  readonly commits: number
  readonly waits: string
  /** Time of processors that the connections' processes have taken, in milliseconds. */
  readonly processor: number
}

/** What the connections of this server wait for, as PostgreSQL says it from time to time; and its commits. */
async function watched<R>(databaseUrl: string, work: () => Promise<R>): Promise<Watched<R>> {
  if (!onPostgres) return { result: await work(), commits: 0, waits: "", processor: 0 }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const commitsOf = async (): Promise<number> => {
    const { rows } = await client.query<{ readonly commits: string }>(
      "select xact_commit as commits from pg_stat_database where datname = current_database()",
    )
    return Number(rows[0]?.commits)
  }
  const connections = async (): Promise<number> => {
    const { rows } = await client.query<{ readonly pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
    return processorMsOf(rows.map(({ pid }) => pid))
  }
  const waits = new Map<string, number>()
  let isOver = false
  let samples = 0
  const sampling = async (): Promise<void> => {
    while (!isOver) {
      const { rows } = await client.query<{ readonly wait: string }>(
        `select state || ' ' || coalesce(wait_event_type || ':' || wait_event, 'running') as wait
         from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      )
      samples += 1
      for (const { wait } of rows) waits.set(wait, (waits.get(wait) ?? 0) + 1)
      await sleep(SAMPLE_EVERY_MS)
    }
  }
  const [before, processorBefore] = [await commitsOf(), await connections()]
  const sampled = sampling()
  try {
    const result = await work()
    isOver = true
    await sampled
    const processor = (await connections()) - processorBefore
    const commits = (await commitsOf()) - before - samples
    const each = [...waits].toSorted(([, a], [, b]) => b - a).slice(0, 6)
    return { result, commits, processor, waits: each.map(([name, count]) => `${name} ${(count / samples).toFixed(1)}`).join(", ") }
  } finally {
    isOver = true
    await sampled
    await client.end()
  }
}

const figures = new Map<string, number[]>()
const dataDir = await mkdtemp(join(tmpdir(), "hearth-bench-"))
const existing = { dataDir, databaseUrl: await freshDatabaseUrl(dataDir) }
const server = await startServer(existing, { HEARTH_PROCESSES: String(PROCESSES) })
try {
  const token = await tokenOf(server)
  const names = Array.from({ length: WRITERS }, (_, index) => `repository-${index}`)
  for (const name of names) await server.api("POST", "/user/repos", { name })
  const requestTo = (name: string): string =>
    `POST /api/v1/repos/${ADMIN.name}/${name}/issues HTTP/1.1\r\nhost: localhost\r\nauthorization: token ${token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const kinds = { "in one repository": names.slice(0, 1), [`in ${WRITERS} repositories`]: names }
  const port = Number(new URL(server.url).port)
  for (let round = 0; round <= ROUNDS; round++)
    for (const [kind, of] of Object.entries(kinds)) {
      const processorBefore = await server.processorMs()
      const {
        result,
        commits,
        waits,
        processor: atPostgres,
      } = await watched(
        existing.databaseUrl,
        async () => (await lightLoad({ port, connections: WRITERS, seconds: SECONDS, requests: of.map(requestTo), status: 2 })).perSecond,
      )
      const processor = (await server.processorMs()) - processorBefore
      // The first round compiles what it runs.
      if (round > 0) figures.set(kind, [...(figures.get(kind) ?? []), result])
      const each = (ms: number) => (ms / result / (SECONDS + 1)).toFixed(2)
      const times = `${each(processor)} ms of a processor each, ${each(atPostgres)} ms of PostgreSQL`
      console.log(`${kind}: ${Math.round(result)}/s, ${times}, ${Math.round(commits / (SECONDS + 1))} commits/s; ${waits}`)
    }
} finally {
  await server.stop()
  await closeDatabases()
  await rm(dataDir, { recursive: true, force: true })
}
for (const [kind, of] of figures) {
  const median = of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0
  console.log(`${kind}: ${Math.round(median)}/s (${of.map(Math.round).join(", ")})`)
}
