/**
 * How lists, records, pages and searches grow: `node bench/world/run.ts [--postgres] [--points 0.01,0.1,1] [--only EXPRESSION] [--kept FOLDER] [--plot FILE.svg]`.
 * Makes a world of each size (1 is a million issues), starts a server on each and asks all of them the same in turn: 200 different addresses each, one after another. `--kept` keeps the worlds of
 * SQLite for the next run.
 */
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { closeDatabases, freshDatabaseUrl } from "../database.ts"
import { basic, type Server, startServer } from "../server.ts"
import { fillWorld, READER, worldOf } from "./fill.ts"
import { type Curve, plot } from "./plot.ts"
import { type Question, questionsOf } from "./questions.ts"

interface Figure {
  readonly median: number
  readonly p99: number
  /** Of the server's processors for each request, in milliseconds. */
  readonly processor: number
}

const { values } = parseArgs({
  options: {
    postgres: { type: "boolean" },
    points: { type: "string", default: "0.01,1" },
    only: { type: "string", default: "" },
    kept: { type: "string" },
    plot: { type: "string" },
  },
})
const MOST_SECONDS = Number(process.env["BENCH_SECONDS"] ?? 4)
const LEAST_ASKED = 10

const points = values.points.split(",").map(Number)
const folder = values.kept ?? (await mkdtemp(join(tmpdir(), "hearth-worlds-")))
const worlds = await Promise.all(points.map(async (factor) => ({ factor, ...(await makeWorld(factor)) })))
try {
  console.log(`${"".padEnd(40)} ${points.map((factor) => `× ${factor}`.padEnd(24)).join(" ")} ratio p99, processor`)
  const curves: Curve[] = []
  for (const [index, { what }] of questionsOf(worldOf(points[0] ?? 1)).entries()) {
    if (!new RegExp(values.only).test(what)) continue
    const figures: Figure[] = []
    for (const { factor, server, cookie } of worlds) {
      const question = questionsOf(worldOf(factor))[index]
      if (question) figures.push(await ask(server, question, cookie))
    }
    const first = figures[0]
    const last = figures.at(-1)
    const ratio =
      first && last ? `${(last.p99 / first.p99).toFixed(2).padStart(6)} ${(last.processor / first.processor).toFixed(2).padStart(6)}` : ""
    const shown = figures.map(({ median, p99, processor }) => [median, p99, processor].map((ms) => ms.toFixed(1).padStart(7)).join(" "))
    console.log(`${what.padEnd(40)} ${shown.map((each) => each.padEnd(24)).join(" ")} ${ratio}`)
    curves.push({ what, points: figures.map(({ median }, place) => ({ size: points[place] ?? 1, ms: median })) })
  }
  if (values.plot) await writeFile(values.plot, plot(curves))
} finally {
  for (const { server } of worlds) await server.stop()
  await closeDatabases()
  if (!values.kept) await rm(folder, { recursive: true, force: true })
}

async function makeWorld(factor: number): Promise<{ readonly server: Server; readonly cookie: string }> {
  const dataDir = join(folder, String(factor))
  await mkdir(dataDir, { recursive: true })
  const databaseUrl = await freshDatabaseUrl(dataDir)
  const kept = { dataDir, databaseUrl }
  const isFilled =
    !values.postgres &&
    (await access(join(dataDir, "filled")).then(
      () => true,
      () => false,
    ))
  if (!isFilled) {
    const server = await startServer(kept)
    await server.api("POST", "/admin/users", {
      username: READER.name,
      password: READER.password,
      email: "reader@example.com",
      must_change_password: false,
    })
    await server.stop()
    const begun = performance.now()
    await fillWorld(databaseUrl, worldOf(factor))
    console.log(`the world × ${factor} was made in ${Math.round((performance.now() - begun) / 1000)} s`)
    await writeFile(join(dataDir, "filled"), "")
  }
  const server = await startServer(kept)
  const body = new URLSearchParams({ login: READER.name, password: READER.password })
  const answer = await fetch(`${server.url}/user/login`, { method: "POST", redirect: "manual", body })
  return { server, cookie: answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "" }
}

/** One after another, until all were asked or some seconds have passed. */
async function ask(server: Server, { what, addresses, isPage }: Question, cookie: string): Promise<Figure> {
  const headers = isPage ? { cookie, accept: "text/html" } : { authorization: basic(READER.name, READER.password) }
  const get = async (address: string): Promise<void> => {
    const answer = await fetch(server.url + address, { headers })
    if (!answer.ok) throw new Error(`${what}: ${address}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  // What is compiled at the first time, and read from the disk, is not what is measured.
  for (const address of addresses.slice(0, 3)) await get(`${address}${address.includes("?") ? "&" : "?"}first=1`)
  const processorBefore = await server.processorMs()
  const took: number[] = []
  const begun = performance.now()
  for (const address of addresses) {
    const at = performance.now()
    if (took.length >= LEAST_ASKED && at - begun > MOST_SECONDS * 1000) break
    await get(address)
    took.push(performance.now() - at)
  }
  const sorted = took.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { median: at(0.5), p99: at(0.99), processor: ((await server.processorMs()) - processorBefore) / took.length }
}
