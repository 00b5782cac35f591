import { type Serving, serveHearth } from "../app.ts"
import { Refusal } from "../core/errors.ts"
import { announce } from "./announce.ts"
import { CommandFailed } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"
import { trimMemory } from "./trim-memory.ts"

/**
 * Serves until the process is asked to stop (SIGINT, SIGTERM), then shuts down gracefully. A second signal ends it at once. With `demo` the server is
 * filled with examples first; fails with {@link CommandFailed} where it has content already.
 */
export async function serve(terminal: Terminal, env: Environment, { demo }: { readonly demo: boolean }): Promise<void> {
  const stop = signalled()
  let isInTime = true
  try {
    const example = demo ? await import("./demo.ts") : undefined
    const clock = example?.storyClock()
    const serving = await start(terminal, env, clock?.now)
    try {
      await example?.requireFresh(serving.services.database.read)
      // What a person reads comes last, so that it stays; programs wait for the line that says that there is a server.
      if (!terminal.attended) announce(terminal, serving)
      const filled = clock && (await example?.fillExample(terminal, serving, clock))
      terminal.progress("")
      if (terminal.attended) (await import("./greet.ts")).greet(terminal, serving, filled)
      else if (filled) example?.describeExample(terminal, serving, filled)
      trimMemory()
      await stop.asked
      if (terminal.attended) terminal.progress("stopping; Ctrl+C again doesn't wait for what is under way")
    } finally {
      isInTime = await serving.close()
      terminal.progress("")
    }
  } finally {
    stop.forget()
  }
  if (!isInTime)
    throw new CommandFailed(
      "Requests were still under way when the time to stop was over, and were cut off.",
      "Nothing that was acknowledged is lost. HEARTH_HTTP_STOP_SECONDS gives them more time.",
    )
}

async function start({ progress }: Terminal, env: Environment, now?: () => number): Promise<Serving> {
  try {
    return await serveHearth({ env, now, progress })
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

function signalled() {
  let tell = (): void => {}
  const asked = new Promise<void>((resolve) => {
    tell = resolve
  })
  let count = 0
  const listener = (): void => {
    if (++count > 1) process.exit(1)
    tell()
  }
  const signals = ["SIGINT", "SIGTERM"] as const
  for (const signal of signals) process.on(signal, listener)
  return {
    asked,
    forget: () => {
      for (const signal of signals) process.off(signal, listener)
    },
  }
}
