import { basename } from "node:path"
import { Refusal } from "../core/errors.ts"
import { RemoteRefused } from "../features/code/mirrors/remote.ts"
import { importArchive as bringArchive } from "../features/site/migration/archives/import-archive.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import { whose } from "./import-owner.ts"
import { type Environment, withInstallation } from "./installation.ts"
import { onSignals } from "./signals.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

interface ArchiveCommand {
  readonly owner: string
  readonly as?: string
  readonly name?: string
}

/** Brings the repository of a migration archive of GitHub, or of a project export of GitLab. Goes on where it was interrupted when it is called again. */
export function importArchive(terminal: Terminal, env: Environment, file: string, options: ArchiveCommand): Promise<ExitCode> {
  const name = options.name ?? basename(file).replace(/\.(?:tgz|tar\.gz)$/, "")
  return withInstallation(env, async (services): Promise<ExitCode> => {
    const stopped = new AbortController()
    const quiet = onSignals({ stop: () => stopped.abort(), stopNow: () => process.exit(FAILED) })
    try {
      const progress = await bringArchive(services, { ...(await whose(services, options)), file, name, signal: stopped.signal })
      const steps = Object.entries(progress).map(([step, { done, missing = 0 }]) => [step, String(done), String(missing)])
      printTable(terminal, ["records", "brought", "left out"], steps)
      return DONE
    } catch (error) {
      if (error instanceof RemoteRefused || error instanceof Refusal)
        throw new CommandFailed(
          `The archive can't be brought: ${error.message}.`,
          "What was brought before is here; mend it, and run this again.",
        )
      throw error
    } finally {
      quiet()
    }
  })
}
