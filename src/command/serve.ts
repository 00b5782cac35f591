import { join } from "node:path"
import { type Serving, serveHearth } from "../app.ts"
import type { Config } from "../core/config.ts"
import { Refusal } from "../core/errors.ts"
import { VERSION } from "../core/version.ts"
import { sshRoot } from "../features/code/repositories/urls.ts"
import { CommandFailed } from "./failure.ts"
import type { Environment } from "./installation.ts"
import type { Terminal } from "./terminal.ts"
import { trimMemorySoon } from "./trim-memory.ts"

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
    const serving = await start(env, clock?.now)
    try {
      await example?.requireFresh(serving.services.database.read)
      announce(terminal, serving)
      if (clock) await example?.showDemo(terminal, serving, clock)
      trimMemorySoon()
      await stop.asked
    } finally {
      isInTime = await serving.close()
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

async function start(env: Environment, now?: () => number): Promise<Serving> {
  try {
    return await serveHearth({ env, now })
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

/** Prints the address and, at the first start, the administrator, where data is stored, and what to do next. */
function announce({ out }: Terminal, { url, administrator: { name }, made, services }: Serving): void {
  out(`Hearth ${VERSION} is ready: ${url}`)
  if (made === undefined) return
  out(`The first administrator is "${name}".`)
  if (made.password === undefined) out("Its password is the one that was configured.")
  else out(`Its password is ${made.password} and is shown this once. Change it after signing in: ${url}/user/change_password`)
  out(dataLocation(services.config))
  out("Next, make a repository and push to it:")
  out(`  curl -u ${name} ${url}/api/v1/user/repos -H 'content-type: application/json' -d '{"name":"first"}'`)
  out(`  git push ${url}/${name}/first.git HEAD:main`)
  if (services.site.sshPort !== undefined) out(`Over SSH, once your key is there: ${sshRoot(services.site)}${name}/first.git`)
  out(`The whole interface: ${url}/api/swagger`)
}

function dataLocation({ dataDir, databaseUrl }: Config): string {
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1]
  if (file?.startsWith(join(dataDir, "/"))) return `All data lies in ${dataDir}.`
  return `Repositories lie in ${dataDir}, everything else in ${file ?? "PostgreSQL"}.`
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
