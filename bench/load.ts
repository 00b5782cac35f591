import { execFile, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { promisify } from "node:util"
import { freePort } from "./server.ts"

const run = promisify(execFile)
const autocannon = createRequire(import.meta.url).resolve("autocannon")
const SECONDS = 6
const CONNECTIONS = 32

export interface Load {
  readonly perSecond: number
  readonly p99: number
  readonly bytes: number
}

/** Requests one address for some seconds over kept-alive connections, from another process. */
export async function load(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Load> {
  return loadWith([], url, headers)
}

/** Sends one body to one address for some seconds, likewise. */
export async function loadPost(url: string, headers: Readonly<Record<string, string>>, body: object): Promise<Load> {
  return loadWith(["-m", "POST", "-b", JSON.stringify(body)], url, { ...headers, "content-type": "application/json" })
}

async function loadWith(method: readonly string[], url: string, headers: Readonly<Record<string, string>>): Promise<Load> {
  const answer = await fetch(url, { headers })
  const body = await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  await cannon(method, url, headers, 2)
  const { requests, latency, non2xx } = await cannon(method, url, headers, SECONDS)
  if (non2xx > 0) throw new Error(`${url}: ${non2xx} answers were refusals`)
  return { perSecond: requests.average, p99: latency.p99, bytes: body.byteLength }
}

interface Cannon {
  readonly requests: { readonly average: number }
  readonly latency: { readonly p99: number }
  readonly non2xx: number
}

async function cannon(method: readonly string[], url: string, headers: Readonly<Record<string, string>>, seconds: number): Promise<Cannon> {
  const given = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`])
  const { stdout } = await run(
    process.execPath,
    [autocannon, "-j", "-c", String(CONNECTIONS), "-d", String(seconds), ...method, ...given, url],
    {
      maxBuffer: 2 ** 26,
    },
  )
  return JSON.parse(stdout)
}

/** The upper bound: a bare server that writes this many prepared bytes, in the same run, under the same load. */
export async function ceiling(bytes: number): Promise<Load> {
  const port = await freePort()
  const code = `const body=Buffer.alloc(${bytes},97);require("node:http").createServer((q,s)=>{s.writeHead(200,{"content-type":"application/json","content-length":body.length});s.end(body)}).listen(${port},"127.0.0.1",()=>process.stdout.write("up"))`
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "ignore"] })
  await new Promise((resolve) => child.stdout.once("data", resolve))
  try {
    return await load(`http://127.0.0.1:${port}/`)
  } finally {
    child.kill("SIGKILL")
  }
}
