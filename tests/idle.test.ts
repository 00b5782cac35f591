import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { secondsOf, secondsOfChildren } from "./support/processor.ts"

/**
 * The budget of an idle server: what it loads, what it takes of memory, and what a start takes of the processor, each with some room above what was
 * measured. Anyone who adds something that costs more loads it at its first use, or raises the figure here with a reason.
 */
const BUDGET = {
  /** Kilobytes of code that a start loads: 3,910 measured, 980 of them of packages. Pages and files are none of it. */
  code: 3_920,
  /** Our own modules in it, 1,111 measured, and the files that they lie in, 91 measured: one is the server's, and others hold what commands and threads load too. */
  modules: 1_115,
  files: 94,
  /** Megabytes of memory of the whole process once loading is over; the engine's own part, some 45, included. 98 measured. */
  memory: 104,
  /** Processor time of a start beside that of a Node.js that does nothing, which tells how fast the machine is. 16 measured beside much other work. */
  effort: 22,
  /** The process that supervises others, where there are several: 168 kilobytes and 62 megabytes measured, 46 of them those of a Node.js that does nothing. */
  supervisor: { code: 171, memory: 66 },
}

const folder = mkdtempSync(join(tmpdir(), "hearth-idle-"))
const home = join(import.meta.dirname, "..")
const node = join(home, "node_modules/node/bin/node")

interface Idle {
  /** Every module that was loaded: of the bundle's files by their source, and those that lie outside of it by their address. */
  readonly sources: readonly string[]
  readonly inNode: readonly string[]
  readonly kilobytes: number
  readonly megabytes: number
  readonly effort: number
}

let idle: Idle

const megabytesOf = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Starts the built server a second time on a folder, as people do, and weighs the process that is started: the server, or of several the supervisor. */
async function start(list: string, processes = 1): Promise<Omit<Idle, "sources" | "inNode" | "kilobytes">> {
  const preload = list === "" ? [] : ["--import", join(home, "tests/support/loaded-modules.ts")]
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", ...preload, join(home, "dist/main.js"), "serve"], {
    env: {
      PATH: process.env["PATH"],
      MALLOC_ARENA_MAX: "2",
      MALLOC_MMAP_THRESHOLD_: "1048576",
      HEARTH_DATA_DIR: folder,
      HEARTH_HTTP_PORT: "0",
      HEARTH_SSH_PORT: "0",
      HEARTH_LOG_LEVEL: "warn",
      HEARTH_PROCESSES: String(processes),
      LOADED_MODULES: list,
    },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(child, "exit")
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = / is ready: (http\S+)/.exec(line)?.[1]
      if (url === undefined) continue
      expect((await fetch(`${url}/api/v1/version`)).status).toBe(200)
      break
    }
    const pid = child.pid ?? 0
    const effort = secondsOf(pid)
    // One second after the start, what loading took is given back, see trim-memory.ts.
    for (let round = 0; round < 40 && megabytesOf(pid) > BUDGET.memory; round++) await sleep(100)
    return { effort, megabytes: megabytesOf(pid) }
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

beforeAll(async () => {
  const list = join(folder, "loaded")
  // The first start makes the tables, and fills the compile cache.
  await start("")
  await start(list)
  const weights = [await start(""), await start("")]
  idle = {
    ...readLoaded(list),
    megabytes: Math.min(...weights.map(({ megabytes }) => megabytes)),
    effort: Math.min(...weights.map(({ effort }) => effort)),
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function readLoaded(list: string): Pick<Idle, "sources" | "inNode" | "kilobytes"> {
  const loaded = readFileSync(list, "utf8").split("\n")
  const files = loaded.filter((url) => url.startsWith("file:") && url.includes("/dist/")).map((url) => new URL(url).pathname)
  const sources = files
    .filter((file) => existsSync(`${file}.map`))
    .flatMap((file): readonly string[] => JSON.parse(readFileSync(`${file}.map`, "utf8")).sources)
  return {
    sources: [...sources, ...files, ...loaded.filter((url) => url.includes("/node_modules/"))],
    inNode: loaded.filter((url) => !url.startsWith("file:")),
    kilobytes: files.reduce((sum, file) => sum + readFileSync(file).length, 0) / 1024,
  }
}

/** Those of our packages that were loaded. */
function packagesIn({ sources }: Pick<Idle, "sources">): readonly string[] {
  const ours: { readonly dependencies: object } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
  const there = new Set(sources.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
  return Object.keys(ours.dependencies).filter((name) => there.has(name))
}

describe("an idle server", () => {
  test("has loaded these of our packages, and no other", () => {
    expect(packagesIn(idle)).toEqual(["commander", "croner", "fastify", "kysely", "lru-cache", "pino", "prom-client"])
  })

  test.each([
    ["Fastify's compilers of schemas", /\/node_modules\/(ajv|ajv-formats|@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler)\//],
    ["TypeBox, which compiles schemas at their first use", /\/typebox[/-]/],
    ["prom-client's figures of the process", /\/node_modules\/(@opentelemetry\/|prom-client\/lib\/defaultMetrics)/],
    ["pages, and what sends them", /\/(pages|web\/layout)\b/],
    ["the driver of the other database", /\/core\/database\/postgres\./],
    ["SSH, where it is switched off", /\/servers\/ssh\/server\./],
    ["what renders texts and colours code", /\/node_modules\/(markdown-it|sanitize-html|highlight\.js)\//],
  ])("hasn't loaded %s", (_, pattern) => expect(idle.sources.filter((path) => pattern.test(path))).toEqual([]))

  test("hasn't loaded Node's fetch, which comes with every import of node:http", () => {
    expect(idle.inNode.filter((name) => /internal\/deps\/undici/.test(name))).toEqual([])
  })

  test("stays within its budget of code and memory", () => {
    const ours = idle.sources.filter((path) => !path.includes("/node_modules/"))
    const files = ours.filter((path) => path.includes("/dist/"))
    expect(idle.kilobytes).toBeLessThanOrEqual(BUDGET.code)
    expect(ours.length - files.length).toBeLessThanOrEqual(BUDGET.modules)
    expect(files.length).toBeLessThanOrEqual(BUDGET.files)
    expect(idle.megabytes).toBeLessThanOrEqual(BUDGET.memory)
  })

  test("starts within its budget of processor time", () => {
    const before = secondsOfChildren()
    const rounds = 10
    for (let round = 0; round < rounds; round++) execFileSync(node, ["-e", "0"])
    expect((idle.effort * rounds) / (secondsOfChildren() - before)).toBeLessThanOrEqual(BUDGET.effort)
  })
})

test("the supervisor of several processes has loaded none of our packages but what reads the command line, and stays within its budget", async () => {
  const list = join(folder, "loaded-by-supervisor")
  await start(list, 2)
  const { megabytes } = await start("", 2)
  // It ends last, so that the list is its own.
  const loaded = readLoaded(list)
  expect(packagesIn(loaded)).toEqual(["commander"])
  expect(loaded.kilobytes).toBeLessThanOrEqual(BUDGET.supervisor.code)
  expect(megabytes).toBeLessThanOrEqual(BUDGET.supervisor.memory)
})
