/**
 * Many follow what happens in one process: `node bench/live-events.ts [STREAMS] [--postgres]`. Each stream is a person's of their own, with a token; all work on one private
 * repository, so that each is decided about. It prints the memory of the server before and with the streams, how long an event takes from the answer to its
 * writer to each of the streams, the processor time that an event takes of the server, the longest turn of its event loop meanwhile, and how long another request waits.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { startHearth } from "../src/app.ts"
import { createToken } from "../src/features/people/sign-in/credentials/tokens.ts"
import { createPerson } from "../src/features/people/users/rules.ts"
import { closeDatabases, freshDatabaseUrl } from "./database.ts"

const STREAMS = Number(process.argv[2] ?? 5_000)
const EVENTS = 20
const [MAIN, TURNS] = ["../src/command/main.ts", "./turns.ts"].map((path) => new URL(path, import.meta.url).pathname)

const dataDir = await mkdtemp(join(tmpdir(), "hearth-live-"))
const databaseUrl = await freshDatabaseUrl(dataDir)
const say = (text: string) => process.stdout.write(`${text}\n`)

/** Everyone with a token, and the private repository that they work on. */
async function prepare(): Promise<{ readonly root: string; readonly tokens: readonly string[] }> {
  const hearth = await startHearth({
    halted: true,
    config: { dataDir, http: { port: 0 }, ssh: { port: 0 }, log: { level: "warn" }, databaseUrl },
  })
  const { database, now } = hearth.services
  const authorization = `token ${hearth.token}`
  const made = await fetch(`${hearth.url}/api/v1/user/repos`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "busy", private: true }),
  })
  const { id: repositoryId, owner } = Object(await made.json())
  const tokens: string[] = []
  for (let from = 0; from < STREAMS; from += 250)
    await database.write(async (tx) => {
      for (let index = from; index < Math.min(from + 250, STREAMS); index++) {
        const name = `reader-${index}`
        const { id } = await createPerson(tx, { name, email: `${name}@example.com`, passwordHash: "", now: now() })
        tokens.push((await createToken(tx, { userId: id, name: "stream", scopes: ["read:issue", "read:repository"], now: now() })).token)
        await tx.insertInto("collaborations").values({ repository_id: repositoryId, user_id: id, mode: 1, created_at: now() }).execute()
      }
    })
  const { token: root } = await database.write((tx) => createToken(tx, { userId: owner.id, name: "writer", scopes: ["all"], now: now() }))
  await hearth.close()
  return { root, tokens }
}

const { root, tokens } = await prepare()
const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "--import", TURNS ?? "", MAIN ?? "", "serve"], {
  env: {
    ...process.env,
    HEARTH_DATA_DIR: dataDir,
    HEARTH_DATABASE_URL: databaseUrl,
    HEARTH_HTTP_PORT: "0",
    HEARTH_SSH_PORT: "0",
    HEARTH_PROCESSES: "1",
    HEARTH_LOG_LEVEL: "warn",
    HEARTH_HTTP_MAX_CONNECTIONS: String(STREAMS + 100),
    HEARTH_HTTP_MAX_CONNECTIONS_PER_ADDRESS: String(STREAMS + 100),
  },
  stdio: ["ignore", "pipe", "inherit"],
})
const url = new URL(
  await new Promise<string>((resolve) => {
    let words = ""
    child.stdout.on("data", (chunk) => {
      words += String(chunk)
      const found = /is ready: (\S+)/.exec(words)?.[1]
      if (found) resolve(found)
    })
  }),
)
const megabytes = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024
const cpuSeconds = () => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

interface Turns {
  readonly clock: number
  readonly processor: number
}

/** The longest turns of the server since they were asked for last. */
async function turns(): Promise<Turns> {
  const told = Promise.withResolvers<Turns>()
  child.stdout.on("data", function read(chunk) {
    const found = /turns: (.*)/.exec(String(chunk))?.[1]
    if (found === undefined) return
    child.stdout.off("data", read)
    told.resolve(JSON.parse(found))
  })
  child.kill("SIGUSR2")
  return told.promise
}

let arrived: number[] = []
let ready = 0
function open(token: string): Socket {
  const socket = connect({ host: url.hostname, port: Number(url.port) })
  let text = ""
  socket.write(`GET /api/v1/events HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: token ${token}\r\naccept: text/event-stream\r\n\r\n`)
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk
    if (text.includes("event: ready")) ready += 1
    if (text.includes('"kind":"issue.opened"')) arrived.push(performance.now())
    const end = text.lastIndexOf("\n\n")
    if (end >= 0) text = text.slice(end + 2)
  })
  return socket
}

try {
  for (let warm = 0; warm < 20; warm++) await write(`warm ${warm}`)
  await sleep(2_000)
  const before = megabytes()
  const sockets: Socket[] = []
  const begun = performance.now()
  for (const token of tokens) {
    sockets.push(open(token))
    while (sockets.length - ready > 100) await sleep(5)
  }
  while (ready < tokens.length) await sleep(20)
  say(`${ready} streams opened in ${Math.round(performance.now() - begun)} ms`)
  await sleep(20_000)
  const quiet = megabytes()
  say(
    `memory: ${before.toFixed(0)} MB before, ${quiet.toFixed(0)} MB with the streams: ${(((quiet - before) * 1024) / STREAMS).toFixed(1)} KB each`,
  )
  const idle = cpuSeconds()
  await sleep(15_000)
  const spentIdle = (cpuSeconds() - idle) / 15
  await turns()
  await sleep(16_000)
  say(`idle streams: ${(spentIdle * 100).toFixed(1)} % of a core; longest turn ${turnText([await turns()])}`)
  const all: number[] = []
  const [firsts, lasts]: [number[], number[]] = [[], []]
  const [longest, pings]: [Turns[], number[]] = [[], []]
  const cpu = cpuSeconds()
  for (let event = 0; event < EVENTS; event++) {
    arrived = []
    await turns()
    await write(`event ${event}`)
    const answered = performance.now()
    while (arrived.length < STREAMS) {
      const asked = performance.now()
      await (await fetch(new URL("/api/v1/version", url))).arrayBuffer()
      pings.push(performance.now() - asked)
      await sleep(20)
    }
    longest.push(await turns())
    const took = arrived.map((at) => at - answered).toSorted((a, b) => a - b)
    all.push(...took)
    firsts.push(took[0] ?? 0)
    lasts.push(took.at(-1) ?? 0)
  }
  const spent = ((cpuSeconds() - cpu) / EVENTS) * 1000
  const at = (list: readonly number[], part: number) =>
    Math.round(list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * part))] ?? 0)
  say(
    `from the answer to the writer to arrival, ms: first ${at(firsts, 0.5)}, median ${at(all, 0.5)}, p99 ${at(all, 0.99)}, the last of each event ${at(lasts, 0.5)}`,
  )
  say(
    `processor: ${spent.toFixed(0)} ms an event, ${((spent * 1000) / STREAMS).toFixed(0)} µs a stream; memory afterwards ${megabytes().toFixed(0)} MB`,
  )
  say(`longest turn of each event: ${turnText(longest)}; other requests meanwhile, ms: median ${at(pings, 0.5)}, longest ${at(pings, 1)}`)
  for (const socket of sockets) socket.destroy()
} finally {
  child.kill("SIGKILL")
  await closeDatabases()
  await rm(dataDir, { recursive: true, force: true })
}

/** The median and the longest. */
function turnText(of: readonly Turns[]): string {
  const text = (values: readonly number[]): string => {
    const sorted = values.toSorted((a, b) => a - b)
    return `${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} (at most ${sorted.at(-1)?.toFixed(0)}) ms`
  }
  return `${text(of.map(({ clock }) => clock))} by the clock, ${text(of.map(({ processor }) => processor))} of processor`
}

async function write(title: string): Promise<void> {
  const answer = await fetch(new URL("/api/v1/repos/root/busy/issues", url), {
    method: "POST",
    headers: { authorization: `token ${root}`, "content-type": "application/json" },
    body: JSON.stringify({ title }),
  })
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
}
