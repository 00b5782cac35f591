/** A server in its own process: for tests that kill it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"

export interface ServerProcess {
  readonly url: string
  /** What it has written so far. */
  readonly output: () => string
  readonly pid: number
  /** The worker processes of a server that has several, as far as they have been started. */
  readonly workers: () => readonly number[]
  readonly signal: (signal: NodeJS.Signals) => void
  /** Asks it to stop, and gives its exit code. */
  readonly stop: () => Promise<number | null>
  /** Kills it without any clean-up. */
  readonly kill: () => Promise<void>
}

const main = new URL("../../src/command/main.ts", import.meta.url).pathname
// Under `npm run test:stress` the server pauses too.
const stressSeed = process.env["HEARTH_TEST_STRESS_SEED"]
const stress = stressSeed === undefined ? [] : ["--import", new URL("../stress/setup.ts", import.meta.url).href]
const PATIENCE_MS = 200_000

/** Starts `hearth serve` and waits until it says that it is ready. Throws with its output if it exits before. */
export async function startServer(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...stress, main, "serve"], {
    env: {
      PATH: process.env["PATH"],
      HEARTH_HTTP_PORT: "0",
      HEARTH_SSH_PORT: "0",
      HEARTH_LOG_LEVEL: "warn",
      // What is told of it is told of one process, unless a test asks for more.
      HEARTH_PROCESSES: "1",
      HEARTH_TEST_STRESS_SEED: stressSeed,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  // Not "exit": what it has written may still be on its way then.
  const ended = once(child, "close")
  let words = ""
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        words += text
        const [, found] = /is ready: (\S+)/.exec(words) ?? []
        if (!found) return
        clearTimeout(timer)
        resolve(found)
      })
    ended.then(() => reject(new Error(`the server ended before it was ready: ${words}`)), reject)
  })
  return {
    url,
    output: () => words,
    pid: child.pid ?? 0,
    workers: () => childrenOf(child.pid ?? 0),
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill("SIGTERM")
      await ended
      return child.exitCode
    },
    async kill() {
      child.kill("SIGKILL")
      await ended
    },
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number)
  } catch {
    // It has ended.
    return []
  }
}
