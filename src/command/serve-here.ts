import { type Serving, serveHearth } from "../app.ts"
import type { Cluster } from "../core/cluster/cluster.ts"
import { Refusal } from "../core/errors.ts"
import { announce } from "./announce.ts"
import { CommandFailed, DONE, type ExitCode } from "./failure.ts"
import type { Environment } from "./installation.ts"
import { onSignals } from "./signals.ts"
import type { Terminal } from "./terminal.ts"
import { trimMemory } from "./trim-memory.ts"

export interface ServeOptions {
  readonly demo: boolean
  /** Set where this process is one of several that serve. */
  readonly cluster: Cluster | undefined
}

const ONE_PROCESS =
  "SIGHUP replaces the processes of a server that may have several; this is the only one, and goes on as it is. To bring in a new version or other settings, stop it and start it again."

/** Serves in this process until it is asked to stop. */
export async function serveHere(terminal: Terminal, env: Environment, { demo, cluster }: ServeOptions): Promise<ExitCode> {
  const stop = Promise.withResolvers<"stop" | "drain">()
  const hangUp = cluster || terminal.attended ? undefined : () => terminal.say(ONE_PROCESS)
  const forget = onSignals({ stop: () => stop.resolve("stop"), stopNow: () => process.exit(1), hangUp })
  cluster?.onStop(stop.resolve)
  let isInTime = true
  let how: "stop" | "drain" = "stop"
  try {
    const example = demo ? await import("./demo.ts") : undefined
    const clock = example?.storyClock()
    const serving = await start(terminal, env, { cluster, now: clock?.now })
    try {
      await example?.requireFresh(serving.services.database.read)
      // What a person reads comes last, so that it stays; programs wait for the line that says that there is a server.
      const isFirst = cluster?.isFirst ?? true
      if (isFirst && !terminal.attended) announce(terminal, serving)
      const filled = clock && (await example?.fillExample(terminal, serving, clock))
      terminal.progress("")
      if (isFirst && terminal.attended) (await import("./greet.ts")).greet(terminal, serving, filled)
      else if (filled) example?.describeExample(terminal, serving, filled)
      cluster?.ready()
      trimMemory()
      how = await stop.promise
      if (isFirst && terminal.attended) terminal.progress("stopping; Ctrl+C again doesn't wait for what is under way")
    } finally {
      isInTime = await serving.close(how)
      terminal.progress("")
    }
  } finally {
    forget()
  }
  if (!isInTime)
    throw new CommandFailed(
      "Requests were still under way when the time to stop was over, and were cut off.",
      "Nothing that was acknowledged is lost. HEARTH_HTTP_STOP_SECONDS gives them more time.",
    )
  return DONE
}

async function start(
  { progress }: Terminal,
  env: Environment,
  options: { readonly cluster: Cluster | undefined; readonly now: (() => number) | undefined },
): Promise<Serving> {
  try {
    return await serveHearth({ ...options, env, progress })
  } catch (error) {
    // A start creates nothing but the first administrator.
    if (error instanceof Refusal)
      throw new CommandFailed(
        `The first administrator can't be made: ${error.message}`,
        "Set HEARTH_ADMIN_USERNAME and HEARTH_ADMIN_EMAIL to what is accepted.",
      )
    throw error
  }
}
