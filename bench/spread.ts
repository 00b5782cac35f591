import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { setTimeout as sleep } from "node:timers/promises"
import type { Load } from "./load.ts"
import { ADMIN, type Server } from "./server.ts"

/** Reads as a busy installation has them: many addresses in random order, and writes in between, so that every answer is made anew. */

const autocannon = createRequire(import.meta.url).resolve("autocannon")
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 6)
const CONNECTIONS = 32
/** Between two writes: some 20 a second, each of which makes all kept answers void. */
const WRITE_EVERY_MS = 50

export interface SpreadLoad extends Load {
  /** How many requests were answered. */
  readonly total: number
}

/** Asks many addresses for some seconds, from a process of its own, while this one writes. */
export async function loadSpread(
  server: Server,
  paths: readonly string[],
  headers: Readonly<Record<string, string>>,
  write: () => Promise<unknown>,
): Promise<SpreadLoad> {
  const requests = paths.toSorted(() => Math.random() - 0.5).map((path) => ({ path }))
  const options = { url: server.url, connections: CONNECTIONS, duration: SECONDS, headers, requests }
  const code = `require(${JSON.stringify(autocannon)})(${JSON.stringify(options)}, (error, result) => process.stdout.write(JSON.stringify(result)))`
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.once("close", resolve))
  const chunks: Buffer[] = []
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; await sleep(WRITE_EVERY_MS)) await write()
  await ended
  const { requests: made, latency, non2xx, throughput } = JSON.parse(Buffer.concat(chunks).toString())
  if (non2xx > 0) throw new Error(`${paths[0]} and others: ${non2xx} answers were refusals`)
  return { perSecond: made.average, p99: latency.p99, bytes: throughput.average, total: made.total }
}

const COUNT = 100
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1)
const content = (text: string): string => Buffer.from(text).toString("base64")

/** A repository `busy` with files, issues and pull requests, and a hundred organisations with a repository each. */
export async function makeBusy(server: Server): Promise<void> {
  const at = `/repos/${ADMIN.name}/busy`
  await server.api("POST", "/user/repos", { name: "busy", auto_init: true })
  await server.api("POST", `${at}/contents`, {
    files: numbers.map((index) => ({
      operation: "create",
      path: `src/${index % 10}/file-${index}.ts`,
      content: content(`export const it = ${index}\n`),
    })),
  })
  for (const index of numbers) {
    await server.api("POST", "/orgs", { username: `org-${index}` })
    await server.api("POST", `/orgs/org-${index}/repos`, { name: "one", description: "One of many", auto_init: true })
    await server.api("POST", `${at}/issues`, { title: `Plan ${index}`, body: "What is to be done, and why." })
    for (const word of ["Yes", "No", "Perhaps"]) await server.api("POST", `${at}/issues/${index}/comments`, { body: word })
  }
  for (const index of numbers.slice(0, 30)) {
    await server.api("POST", `${at}/contents/proposal-${index}.md`, { content: content("Proposal\n"), new_branch: `change-${index}` })
    await server.api("POST", `${at}/pulls`, { title: `Proposal ${index}`, head: `change-${index}`, base: "main" })
  }
  await sleep(2000)
}

/** By name: how often each read is answered in a second. */
export async function spreadFigures(server: Server, headers: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, Load>> {
  const at = `/repos/${ADMIN.name}/busy`
  await makeBusy(server)
  const reads: Readonly<Record<string, readonly string[]>> = {
    "GET repository": numbers.map((index) => `/repos/org-${index}/one`),
    "GET user": numbers.map((index) => `/users/org-${index}`),
    "GET issue": numbers.map((index) => `${at}/issues/${index}`),
    "list of repositories": numbers.map((index) => `/orgs/org-${index}/repos?limit=30`),
    "list of 30 issues": numbers.map(
      (index) => `${at}/issues?state=all&limit=30&page=${(index % 3) + 1}&since=2020-01-01T00:00:${String(index % 60).padStart(2, "0")}Z`,
    ),
    "list of comments of an issue": numbers.map((index) => `${at}/issues/${index}/comments`),
    "list of 30 pull requests": numbers.map(
      (index) => `${at}/pulls?state=open&limit=30&page=1&sort=${["oldest", "recentupdate", "leastupdate"][index % 3]}`,
    ),
    "list of 30 commits": numbers.slice(0, 30).map((index) => `${at}/commits?limit=30&sha=change-${index}`),
    "list of 30 branches": numbers.map((index) => `${at}/branches?limit=30&page=${(index % 2) + 1}`),
    "a file": numbers.map((index) => `${at}/contents/src/${index % 10}/file-${index}.ts`),
    "a directory": numbers.map((index) => `${at}/contents/src/${index % 10}`),
  }
  let written = 0
  const write = () => server.api("POST", "/repos/org-1/one/issues", { title: `In between ${written++}` })
  const figures = new Map<string, Load>()
  for (const [name, paths] of Object.entries(reads)) {
    const whole = paths.map((path) => `/api/v1${path}`)
    figures.set(name, await loadSpread(server, whole, headers, write))
  }
  return figures
}
