/** The real runner on a machine of its own: a folder, a configuration, and a process that can be stopped, killed and started again. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { inject, vi } from "vitest"

export interface MachineOptions {
  readonly url: string
  /** The registration token. */
  readonly token: string
  readonly name: string
  /** Names of labels, all for steps on the machine itself. */
  readonly labels?: readonly string[]
  /** How many jobs it runs at a time. */
  readonly capacity?: number
  readonly isEphemeral?: boolean
  /** Seconds that it gives its jobs when it is asked to stop. */
  readonly graceSeconds?: number
  /** Serves a cache to its jobs. */
  readonly hasCache?: boolean
  /** For all its steps. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Registered {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly token: string
  readonly labels: readonly string[]
}

export interface Machine {
  readonly folder: string
  /** What the runner has written so far. */
  readonly output: () => string
  /** What the runner has stored of its registration. */
  readonly registered: () => Promise<Registered>
  /** Starts it again, with other labels if they are given. */
  readonly start: (labels?: readonly string[]) => Promise<void>
  /** Asks it to stop, and waits until it has. */
  readonly stop: () => Promise<number | null>
  /** Kills it and what it runs, without any clean-up. */
  readonly kill: () => Promise<void>
  /** Waits until it has ended by itself. */
  readonly ended: () => Promise<number | null>
  /** Waits until a step has come to `$GATES/wait NAME`. */
  readonly reached: (gate: string) => Promise<void>
  /** Lets the steps go on that are at `$GATES/wait NAME`, or will be. */
  readonly open: (gate: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** A step that is never let go ends after two minutes, or when the shell of the step has been killed, which its children are not. */
const WAIT = `#!/bin/sh
cd "$(dirname "$0")"
touch "$1.reached"
for _ in $(seq 1200); do [ -e "$1.open" ] && exit 0; kill -0 $PPID || break; sleep 0.1; done
exit 1
`

/** What the runner says of a registration that was refused. */
export class NotRegistered extends Error {}

/** Registers a runner. Throws `NotRegistered` with what it says. */
export async function openMachine(options: MachineOptions): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-machine-"))
  const gates = join(folder, "gates")
  await mkdir(gates)
  await writeFile(join(gates, "wait"), WAIT, { mode: 0o755 })
  let child: ChildProcess | undefined
  let words = ""

  // Its steps find the Node of the tests.
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter)
  const program = async (...args: readonly string[]): Promise<ChildProcess> => {
    const built = inject("runnerProgram")
    if ("fault" in built) throw new Error(built.fault)
    const started = spawn(built.path, [...args], {
      cwd: folder,
      env: { PATH, HOME: folder, LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
    })
    for (const stream of [started.stdout, started.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        words += text
      })
    await once(started, "spawn")
    return started
  }
  const configure = (labels: readonly string[]) =>
    writeFile(join(folder, "config.yaml"), JSON.stringify(configuration(options, folder, labels)))
  const end = async (): Promise<number | null> => {
    if (child && child.exitCode === null && child.signalCode === null) await once(child, "exit")
    return child?.exitCode ?? null
  }
  const remove = async () => {
    killAllIn(folder)
    await end()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  const labels = options.labels ?? ["host"]
  await configure(labels)
  const registration = await program(
    ...["register", "--no-interactive", "--config", "config.yaml", "--instance", options.url, "--token", options.token],
    ...["--name", options.name, ...(options.isEphemeral ? ["--ephemeral"] : [])],
  )
  const [code] = await once(registration, "close")
  if (code !== 0 || !existsSync(join(folder, ".runner"))) {
    await remove()
    throw new NotRegistered(words)
  }

  const machine: Machine = {
    folder,
    output: () => words,
    async registered() {
      const stored: Registered = JSON.parse(await readFile(join(folder, ".runner"), "utf8"))
      return stored
    },
    async start(others = labels) {
      await configure(others)
      const before = words.length
      const started = await program("daemon", "--config", "config.yaml")
      child = started
      await vi.waitUntil(() => /declare successfully/.test(words.slice(before)) || started.exitCode !== null, {
        timeout: 60_000,
        interval: 50,
      })
      if (started.exitCode !== null) throw new Error(`the runner has ended: ${words.slice(before)}`)
    },
    async stop() {
      child?.kill("SIGTERM")
      return end()
    },
    async kill() {
      killAllIn(folder)
      await end()
    },
    ended: end,
    reached: (gate) =>
      vi.waitFor(
        () => {
          if (!existsSync(join(gates, `${gate}.reached`))) throw new Error(`no step has come to ${gate}: ${words}`)
        },
        { timeout: 60_000, interval: 50 },
      ),
    open: (gate) => writeFile(join(gates, `${gate}.open`), ""),
    close: remove,
  }
  return machine
}

function configuration(
  { capacity = 1, graceSeconds = 0, hasCache = false, env = {} }: MachineOptions,
  folder: string,
  labels: readonly string[],
) {
  return {
    log: { level: "info" },
    runner: {
      capacity,
      labels: labels.map((label) => `${label}:host`),
      envs: { GATES: join(folder, "gates"), ...env },
      fetch_interval: "500ms",
      fetch_interval_max: "1s",
      shutdown_timeout: `${graceSeconds}s`,
      // What a person would wait for in front of the page, the tests wait for too.
      log_report_interval: "500ms",
      log_report_max_latency: "300ms",
      state_report_interval: "500ms",
    },
    cache: { enabled: hasCache, dir: join(folder, "cache"), host: "127.0.0.1" },
    host: { workdir_parent: join(folder, "work") },
  }
}

/** Kills the processes that were started in or below a folder. Those of steps are no children of the runner any more once it is dead. */
function killAllIn(folder: string): void {
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const environment = readFileSync(`/proc/${id}/environ`, "latin1")
      if (environment.includes(folder)) process.kill(Number(id), "SIGKILL")
    } catch {
      // It has ended meanwhile, or belongs to another user.
    }
}
