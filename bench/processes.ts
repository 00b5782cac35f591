/**
 * One worker and two, in turn, on one data folder: reads spread over many addresses with writes in between, writes, and the memory of each process. `node bench/processes.ts`;
 * `BENCH_SECONDS=10` for each figure, `BENCH_ROUNDS=3`.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freshDatabaseUrl } from "./database.ts"
import { lightLoad, tokenOf } from "./light.ts"
import { ADMIN, type Server, startServer } from "./server.ts"
import { makeBusy } from "./spread.ts"

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 10)
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3)
const READERS = 32
const WRITERS = 8
const WRITE_EVERY_MS = 50

const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
const busy = `/repos/${ADMIN.name}/busy`
/** Each address has a number that nothing reads, so that none is asked for again while its answer may be kept. */
const READS: Readonly<Record<string, readonly string[]>> = {
  "GET repository": numbers.map((index) => `/repos/org-${index}/one?`),
  "GET issue": numbers.map((index) => `${busy}/issues/${index}?`),
  "list of 30 issues": numbers.map((index) => `${busy}/issues?state=all&limit=30&page=${(index % 3) + 1}`),
  "list of 30 pull requests": numbers.map((index) => `${busy}/pulls?limit=30&sort=${["oldest", "recentupdate", "leastupdate"][index % 3]}`),
}

const requestOf = (token: string, method: string, path: string, body = ""): string =>
  `${method} /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: token ${token}\r\n` +
  `${body === "" ? "" : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`

async function read(server: Server, token: string, paths: readonly string[], seconds = SECONDS): Promise<number> {
  const requests = Array.from({ length: 20_000 }, (_, index) => requestOf(token, "GET", `${paths[index % paths.length]}&n=${index}`))
  const port = Number(new URL(server.url).port)
  const reading = lightLoad({ port, connections: READERS, seconds, requests, status: 2 })
  let isOver = false
  const end = reading.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await server.api("POST", "/repos/org-1/one/issues", { title: "In between" })
    await sleep(WRITE_EVERY_MS)
  }
  return (await end).perSecond
}

/** Issues in eight repositories. */
async function write(server: Server, token: string): Promise<number> {
  const body = JSON.stringify({ title: "A plan", body: "What is to be done, and why." })
  const requests = numbers.slice(0, WRITERS).map((index) => requestOf(token, "POST", `/repos/org-${index}/one/issues`, body))
  return (await lightLoad({ port: Number(new URL(server.url).port), connections: WRITERS, seconds: SECONDS, requests, status: 2 }))
    .perSecond
}

/** The memory that only this process has, of it and of those that it has begun, in MiB. */
async function memoryOf(pid: number): Promise<readonly number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").filter(Boolean).map(Number)
  const privateOf = async (of: number): Promise<number> => {
    const rollup = await readFile(`/proc/${of}/smaps_rollup`, "utf8").catch(() => "")
    const sizes = [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].map(([, size]) => Number(size))
    return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1_024)
  }
  return Promise.all([pid, ...children].map(privateOf))
}

const dataDir = await mkdtemp(join(tmpdir(), "hearth-bench-"))
const existing = { dataDir, databaseUrl: await freshDatabaseUrl(dataDir) }
const first = await startServer(existing)
await makeBusy(first)
await first.stop()
const figures = new Map<string, Map<number, number[]>>()
const note = (name: string, processes: number, figure: number): void => {
  const of = figures.get(name) ?? new Map<number, number[]>()
  figures.set(name, of)
  of.set(processes, [...(of.get(processes) ?? []), figure])
}
for (let round = 0; round < ROUNDS; round++)
  for (const processes of round % 2 === 0 ? [1, 2] : [2, 1]) {
    const server = await startServer(existing, { HEARTH_PROCESSES: String(processes) })
    // The second worker begins when the first is ready.
    await sleep(5_000)
    const idle = await memoryOf(server.pid)
    const token = await tokenOf(server)
    // Each worker has to compile what it runs.
    for (const paths of Object.values(READS)) await read(server, token, paths, 1)
    for (const [name, paths] of Object.entries(READS)) note(name, processes, await read(server, token, paths))
    note("issues created", processes, await write(server, token))
    console.log(`${processes}: MiB when idle ${idle.join(" + ")}, after the load ${(await memoryOf(server.pid)).join(" + ")}`)
    await server.stop()
  }
await rm(dataDir, { recursive: true, force: true })
const median = (of: readonly number[] = []): number => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0
for (const [name, of] of figures) {
  const [one, two] = [median(of.get(1)), median(of.get(2))]
  console.log(`${name}: ${Math.round(one)}/s with one, ${Math.round(two)}/s with two, ${(two / one).toFixed(2)} times`)
}
