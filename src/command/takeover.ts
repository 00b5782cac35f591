import { existsSync } from "node:fs"
import { openServices } from "../app.ts"
import { loadConfig } from "../core/config.ts"
import { lockForServer } from "../core/database/server-lock.ts"
import { countServers } from "../core/database/servers.ts"
import { type Report, SourceRefused, takeOverInstallation } from "../features/site/takeover/takeover.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import type { Environment } from "./installation.ts"
import { onSignals } from "./signals.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

export interface TakeoverCommand {
  readonly from?: string
  readonly database?: string
  readonly dryRun: boolean
  readonly link: boolean
  readonly compare?: readonly string[]
  readonly token?: string
}

/** What is told of each kind one by one; the page of administrators has the rest. */
const MOST_TOLD = 20

/** Takes over an installation, or compares two servers. Ends early at the first signal, after what is under way. */
export async function takeover(terminal: Terminal, env: Environment, options: TakeoverCommand): Promise<ExitCode> {
  const { from, compare } = options
  if (compare) return (await import("./takeover-compare.ts")).compareServers(terminal, env, compare, options.token)
  if (from === undefined)
    throw new CommandFailed("Nothing says what to take over.", "Name the data folder of the old server, or its app.ini, with --from.")
  const { databaseUrl } = loadConfig({ env }).config
  const file = /^sqlite:(\/.*)$/.exec(databaseUrl)?.[1]
  // Without anything here yet there is nothing to compare with, and a dry run must make nothing.
  const isNew = options.dryRun && file !== undefined && !existsSync(file)
  const unlock = isNew ? undefined : lockForServer(databaseUrl)
  const stopped = new AbortController()
  const quiet = onSignals({ stop: () => stopped.abort(), stopNow: () => process.exit(FAILED) })
  try {
    const opened = await openServices(isNew ? { env: {}, memory: true } : { env })
    try {
      const servers = await countServers(opened.services.database)
      if (servers > 0) throw new CommandFailed("A server works on this database.", "Stop all servers here for the takeover.")
      const report = await takeOverInstallation(opened.services, {
        from,
        database: options.database,
        dryRun: options.dryRun,
        link: options.link,
        signal: stopped.signal,
        progress: (kind, { found, taken, changed }) => terminal.progress(`${kind}: ${taken} of ${found}, ${changed} written`),
      })
      return tell(terminal, report, options)
    } finally {
      await opened.close()
    }
  } catch (error) {
    if (error instanceof SourceRefused) throw new CommandFailed(error.message, error.advice)
    throw error
  } finally {
    quiet()
    unlock?.()
  }
}

function tell(terminal: Terminal, { kinds, isStopped, layout }: Report, { dryRun }: TakeoverCommand): ExitCode {
  terminal.progress("")
  printTable(
    terminal,
    ["KIND", "FOUND", dryRun ? "WOULD BE HERE" : "TAKEN", dryRun ? "WOULD CHANGE" : "CHANGED", "REMOVED", "LEFT OUT"],
    kinds
      .filter(([, { found, removed }]) => found + removed > 0)
      .map(([name, { found, taken, changed, removed, leftOut }]) => [name, ...[found, taken, changed, removed, leftOut].map(String)]),
  )
  for (const [name, { remarks }] of kinds) {
    if (remarks.length === 0) continue
    terminal.say(`${name}:`)
    for (const { key, content } of remarks.slice(0, MOST_TOLD)) terminal.say(`  ${key}: ${content}`)
    if (remarks.length > MOST_TOLD) terminal.say(`  and ${remarks.length - MOST_TOLD} more, which the page of the takeover shows`)
  }
  if (isStopped) {
    terminal.say("Stopped. What was taken stays. Run it again to go on.")
    return FAILED
  }
  if (!dryRun)
    terminal.out(
      `Taken over. Set HEARTH_ROOT_URL to ${layout.rootUrl} where this server takes its place, and start it with \`hearth serve\`.`,
    )
  return DONE
}
