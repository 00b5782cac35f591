import { serveHearth } from "../app.ts"
import { VERSION } from "../core/version.ts"
import type { Terminal } from "./terminal.ts"

/** Serves until the process is asked to stop (SIGINT, SIGTERM), then ends in good order. A second signal ends it at once. */
export async function serve({ out }: Terminal, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const stop = signalled()
  try {
    const { url, administrator, made, close } = await serveHearth({ env })
    out(`Hearth ${VERSION} is ready: ${url}`)
    if (made !== undefined) {
      out(`The first administrator is "${administrator.name}".`)
      if (made.password !== undefined) out(`Its password is ${made.password} and is shown this once. Change it after signing in.`)
    }
    await stop.asked
    await close()
  } finally {
    stop.forget()
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
