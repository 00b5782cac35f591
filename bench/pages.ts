import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { get } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { ADMIN, type Server } from "./server.ts"
import type { SpreadLoad } from "./spread.ts"
import { loadSpread } from "./spread.ts"

/** Pages as a browser asks for them: of a reader who is signed in, over many addresses, with writes in between. */

export interface PageFigure {
  readonly load: SpreadLoad
  /** Of one reader after a write each: the median of the time to the first byte, in milliseconds. */
  readonly firstByte: number
  /** Of the server's processors for each request, in milliseconds; the writes in between count too. */
  readonly processorMs: number
}

const ROUNDS = 60

/** By name. Takes the repositories, issues and pull requests that `spreadFigures` has made. */
export async function pageFigures(server: Server): Promise<ReadonlyMap<string, PageFigure>> {
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
  const at = `/${ADMIN.name}/busy`
  const headers = await headersOf(server)
  const pulls = await server.api("GET", `/repos${at}/pulls?limit=50`)
  const found: unknown = await pulls.json()
  const pullNumbers = Array.isArray(found) ? found.map(({ number }) => Number(number)) : []
  const pages: Readonly<Record<string, readonly string[]>> = {
    repository: numbers.map((index) => `/org-${index}/one`),
    issues: numbers.map((index) => `${at}/issues?page=${(index % 5) + 1}&q=is%3Aopen+sort%3A${index % 2 ? "newest" : "oldest"}`),
    issue: numbers.map((index) => `${at}/issues/${index}`),
    "files of a pull request": pullNumbers.map((number) => `${at}/pulls/${number}/files`),
    commits: pullNumbers.map((number) => `${at}/pulls/${number}/commits`),
    "a file": numbers.map((index) => `${at}/src/branch/main/src/${index % 10}/file-${index}.ts`),
  }
  let written = 0
  const write = () => server.api("POST", "/repos/org-1/one/issues", { title: `Beside pages ${written++}` })
  const figures = new Map<string, PageFigure>()
  for (const [name, paths] of Object.entries(pages)) {
    // What git has to say of each is kept from the first time.
    for (const path of paths) await (await fetch(server.url + path, { headers })).arrayBuffer()
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await write()
      const begun = performance.now()
      const page = await fetch(server.url + (paths[round % paths.length] ?? "/"), { headers })
      times.push(performance.now() - begun)
      if (page.status !== 200) throw new Error(`${paths[round % paths.length]}: ${page.status}`)
      await page.arrayBuffer()
    }
    await sleep(500)
    const before = await server.processorMs()
    const load = await loadSpread(server, paths, headers, write)
    figures.set(name, {
      load,
      processorMs: ((await server.processorMs()) - before) / load.total,
      firstByte: times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0,
    })
  }
  return figures
}

/** What a reader's browser sends who is signed in. */
async function headersOf(server: Server): Promise<Readonly<Record<string, string>>> {
  const body = new URLSearchParams({ login: ADMIN.name, password: ADMIN.password })
  const answer = await fetch(`${server.url}/user/login`, { method: "POST", redirect: "manual", body })
  const cookie = answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
  return { cookie, accept: "text/html", "accept-encoding": "gzip, br" }
}

export interface ViewFigure {
  readonly what: string
  /** Median, in milliseconds, with a write before each. */
  readonly firstByte: number
  readonly goalMs: number
  /** As they are sent, compressed. */
  readonly bytes: number
  readonly goalBytes: number
}

const ENTRIES = 500
const LINES = 1000

/** Single pages that are heavy, one reader at a time. Takes what `makeBusy` has made. */
export async function viewFigures(server: Server): Promise<readonly ViewFigure[]> {
  const api = `/repos/${ADMIN.name}/busy`
  const at = `/${ADMIN.name}/busy`
  const sources = await Promise.all(["receive", "process", "index", "repository"].map((name) => readFile(`src/git/${name}.ts`, "utf8")))
  const code = sources.join("").split("\n").slice(0, LINES).join("\n")
  const content = Buffer.from(code).toString("base64")
  await server.api("POST", `${api}/contents/long.ts`, { content })
  await server.api("POST", `${api}/contents/other.ts`, { content, new_branch: "long" })
  const pull = await numberOf(await server.api("POST", `${api}/pulls`, { title: "Long", head: "long", base: "main" }))
  const issue = await numberOf(await server.api("POST", `${api}/issues`, { title: "Long", body: "What is to be done." }))
  for (let entry = 1; entry <= ENTRIES; entry++)
    await server.api("POST", `${api}/issues/${issue}/comments`, {
      body: `Entry ${entry}: a **comment** of some words, about \`file-${entry % 100}.ts\`.`,
    })
  await sleep(2000)
  const kilobytes = (many: number) => many * 1000
  const views = [
    ["dashboard", "/", 20, kilobytes(30)],
    ["explore", "/explore/repos", 20, kilobytes(30)],
    ["home of a repository", at, 20, kilobytes(30)],
    ["list of issues", `${at}/issues`, 20, kilobytes(30)],
    ["list of pull requests", `${at}/pulls`, 20, kilobytes(30)],
    ["an issue", `${at}/issues/1`, 20, kilobytes(30)],
    ["commits", `${at}/commits/branch/main`, 20, kilobytes(30)],
    ["branches", `${at}/branches`, 20, kilobytes(30)],
    [`file of ${LINES} lines`, `${at}/src/branch/main/long.ts`, 30, kilobytes(100)],
    [`difference of ${LINES} lines`, `${at}/pulls/${pull}/files`, 50, kilobytes(100)],
    [`issue with ${ENTRIES} entries`, `${at}/issues/${issue}?all=1`, 60, kilobytes(100)],
  ] as const
  const headers = await headersOf(server)
  const figures: ViewFigure[] = []
  for (const [what, path, goalMs, goalBytes] of views) {
    const times: number[] = []
    let bytes = 0
    for (let round = -3; round < ROUNDS / 2; round++) {
      await server.api("POST", "/repos/org-1/one/issues", { title: "Beside views" })
      const asked = await ask(`${server.url}${path}`, headers)
      if (round >= 0) times.push(asked.firstByte)
      bytes = asked.bytes
    }
    figures.push({ what, firstByte: times.toSorted((a, b) => a - b)[ROUNDS / 4] ?? 0, goalMs, bytes, goalBytes })
  }
  return figures
}

async function numberOf(answer: Response): Promise<number> {
  const made: unknown = await answer.json()
  return typeof made === "object" && made !== null && "number" in made ? Number(made.number) : 0
}

/** Asks for a page; its bytes are counted as they come. */
function ask(url: string, headers: Readonly<Record<string, string>>): Promise<{ readonly firstByte: number; readonly bytes: number }> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      let firstByte = 0
      let bytes = 0
      answer.on("data", (chunk: Buffer) => {
        firstByte ||= performance.now() - begun
        bytes += chunk.length
      })
      answer.on("end", () =>
        answer.statusCode === 200 ? resolve({ firstByte, bytes }) : reject(new Error(`${url}: ${answer.statusCode}`)),
      )
    }).on("error", reject)
  })
}

export interface ShareFigure {
  readonly milliseconds: number
  readonly mebibytes: number
}

/** What the modules of pages add to a process that has all others, in processor time: the median of five. */
export async function shareOfPages(): Promise<ShareFigure> {
  const code = `await import(process.argv[1] + "/command/modules.js"); await import(process.argv[1] + "/operations.js"); await import(process.argv[1] + "/servers/api/server.js")
    globalThis.gc(); const before = process.memoryUsage().rss; const begun = process.cpuUsage()
    await import(process.argv[1] + "/pages.js"); await import(process.argv[1] + "/servers/web/pages/server.js")
    const { user, system } = process.cpuUsage(begun); const milliseconds = (user + system) / 1000; globalThis.gc()
    console.log(JSON.stringify({ milliseconds, mebibytes: (process.memoryUsage().rss - before) / 2 ** 20 }))`
  const folder = new URL("../dist", import.meta.url).pathname
  const runs: ShareFigure[] = []
  for (let round = 0; round < 5; round++) {
    const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", code, folder])
    runs.push(JSON.parse(stdout))
  }
  const median = (of: (figure: ShareFigure) => number) => runs.map(of).toSorted((a, b) => a - b)[2] ?? 0
  return { milliseconds: median((each) => each.milliseconds), mebibytes: median((each) => each.mebibytes) }
}

const run = promisify(execFile)
