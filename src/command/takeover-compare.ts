import { compareServers as compare } from "../features/site/takeover/compare.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import type { Environment } from "./installation.ts"
import { onSignals } from "./signals.ts"
import type { Terminal } from "./terminal.ts"

/** Compares what two servers answer, and tells what differs. */
export async function compareServers(
  terminal: Terminal,
  env: Environment,
  addresses: readonly string[],
  given: string | undefined,
): Promise<ExitCode> {
  const [old, now, ...more] = addresses.map((address) => address.replace(/\/+$/, ""))
  if (old === undefined || now === undefined || more.length > 0)
    throw new CommandFailed("Two addresses are compared.", "Give the old server's and the new one's: --compare https://old https://new")
  const token = given ?? env["HEARTH_COMPARE_TOKEN"]
  if (token === undefined || token === "")
    throw new CommandFailed("A token is needed, of an administrator of both.", "Give it with HEARTH_COMPARE_TOKEN, or --token.")
  const stopped = new AbortController()
  const quiet = onSignals({ stop: () => stopped.abort(), stopNow: () => process.exit(FAILED) })
  try {
    const { asked, differing } = await compare({
      old,
      now,
      token,
      signal: stopped.signal,
      progress: (count, other) => terminal.progress(`${count} answers compared, ${other} differ`),
      differs(path, differences) {
        terminal.out(path)
        for (const difference of differences) terminal.out(`  ${difference}`)
      },
    })
    terminal.progress("")
    terminal.out(`${asked} answers compared, ${differing} differ.`)
    return differing > 0 || stopped.signal.aborted ? FAILED : DONE
  } catch (error) {
    if (stopped.signal.aborted) return FAILED
    if (error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError"))
      throw new CommandFailed(`A server does not answer: ${error.message}.`, "Both must run, and be reached from here.")
    throw error
  } finally {
    quiet()
  }
}
