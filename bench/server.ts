import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freshDatabaseUrl } from "./database.ts"

export const ADMIN = { name: "root", password: "bench-pass-1" } as const
export const basic = (name: string, password: string): string => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`

/** Calls an operation as the administrator, unless the headers say otherwise. Throws where it is refused. */
export type Api = (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) => Promise<Response>

export const apiAt =
  (url: string, { name, password }: { readonly name: string; readonly password: string }): Api =>
  async (method, path, body, headers = {}) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: basic(name, password), "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }

/** A server of its own process, as an operator starts it. */
export interface Server {
  readonly url: string
  readonly dataDir: string
  readonly databaseUrl: string
  /** From the start of the process until the first answered request, in milliseconds. */
  readonly readyMs: number
  readonly pid: number
  /** Resident memory in MiB. */
  readonly memory: () => Promise<number>
  /** Time of processors that it and its ended children have taken, in milliseconds. */
  readonly processorMs: () => Promise<number>
  readonly api: Api
  readonly stop: () => Promise<void>
}

/** Starts a server with an empty data folder, or with an existing one, which is kept when it is stopped. */
export async function startServer(
  existing?: Pick<Server, "dataDir" | "databaseUrl">,
  settings: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const dataDir = existing?.dataDir ?? (await mkdtemp(join(tmpdir(), "hearth-bench-")))
  const databaseUrl = existing?.databaseUrl ?? (await freshDatabaseUrl(dataDir))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const begun = performance.now()
  const child = spawn(new URL("../bin/hearth", import.meta.url).pathname, ["serve"], {
    env: {
      PATH: process.env["PATH"],
      HEARTH_DATA_DIR: dataDir,
      HEARTH_DATABASE_URL: databaseUrl,
      HEARTH_HTTP_PORT: String(port),
      HEARTH_SSH_PORT: "0",
      HEARTH_ROOT_URL: url,
      HEARTH_LOG_LEVEL: process.env["BENCH_LOG_LEVEL"] ?? "info",
      // Figures are of one process, unless they say otherwise.
      HEARTH_PROCESSES: "1",
      HEARTH_ADMIN_USERNAME: ADMIN.name,
      HEARTH_ADMIN_PASSWORD: ADMIN.password,
      ...settings,
    },
    stdio: ["ignore", "ignore", "ignore"],
  })
  for (;;) {
    const answered = await fetch(`${url}/api/v1/version`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (answered) break
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}; run npm run build and try hearth serve by hand`)
    await sleep(2)
  }
  const readyMs = performance.now() - begun
  return {
    url,
    dataDir,
    databaseUrl,
    readyMs,
    pid: child.pid ?? 0,
    memory: async () => Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024,
    processorMs: async () => {
      const fields = (await readFile(`/proc/${child.pid}/stat`, "utf8")).split(") ")[1]?.split(" ").map(Number) ?? []
      // User and system time, its own and its children's, in hundredths of a second.
      return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks * 10, 0)
    },
    api: apiAt(url, ADMIN),
    stop: async () => {
      await ended(child)
      if (!existing) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const done = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await done
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address ? address.port : 0
}
