import { loadConfig } from "../core/config.ts"
import { lockForServer } from "../core/database/server-lock.ts"
import { mostProcesses } from "../supervisor/processes.ts"
import type { ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Serves until the process is asked to stop (SIGINT, SIGTERM), then shuts down gracefully. A second signal ends it at once. With `demo` the server is
 * filled with examples first; fails with {@link CommandFailed} where it has content already.
 *
 * Where it may have several processes, this one only supervises them, and runs the same command in each; on SIGHUP they are replaced one after another.
 */
export async function serve(terminal: Terminal, env: Environment, { demo }: { readonly demo: boolean }): Promise<ExitCode> {
  // A supervisor has a channel to its workers.
  const cluster = process.send && (await import("../core/cluster/member.ts")).joinCluster()
  const serveHere = async () => (await import("./serve-here.ts")).serveHere(terminal, env, { demo, cluster })
  if (cluster) return serveHere().finally(cluster.leave)
  const { config } = loadConfig({ env })
  // An example is told by a clock of its own.
  const most = demo ? 1 : mostProcesses(config.processes)
  if (most === 1) return serveHere()
  const unlock = lockForServer(config.databaseUrl)
  try {
    const { supervise } = await import("./supervise.ts")
    return await supervise(terminal, { most, isFixed: config.processes > 0, stopMs: config.http.stopSeconds * 1000 })
  } finally {
    unlock?.()
  }
}
