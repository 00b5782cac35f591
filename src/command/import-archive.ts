import { findUserByName } from "../access/store.ts"
import { openServices } from "../app.ts"
import { Refusal } from "../core/errors.ts"
import { RemoteRefused } from "../features/code/mirrors/remote.ts"
import { importArchive as bringArchive } from "../features/site/migration/archives/import-archive.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import type { Environment } from "./installation.ts"
import { onSignals } from "./signals.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

export interface ArchiveCommand {
  readonly file: string
  readonly owner: string
  readonly name: string
  /** Who asks for it: has what was written by people who are not known here. The owner, unless that is an organisation. */
  readonly as?: string
}

/** Brings the repository of a migration archive of GitHub, or of a project export of GitLab. Goes on where it was interrupted when it is called again. */
export async function importArchive(
  terminal: Terminal,
  env: Environment,
  { file, owner: ownerName, name, as: doerName = ownerName }: ArchiveCommand,
): Promise<ExitCode> {
  const stopped = new AbortController()
  const quiet = onSignals({ stop: () => stopped.abort(), stopNow: () => process.exit(FAILED) })
  const opened = await openServices({ env })
  try {
    const { services } = opened
    const db = services.database.read
    const owner = await findUserByName.first(db, { lowerName: ownerName.toLowerCase() })
    if (!owner) throw new CommandFailed(`There is no ${ownerName} here.`, "Name a person or an organisation that exists.")
    const doer = await findUserByName.first(db, { lowerName: doerName.toLowerCase() })
    if (doer?.kind !== "person") throw new CommandFailed(`${doerName} is no person here.`, "Name a person who asks for the import.")
    const progress = await bringArchive(services, { file, doer, owner, name, signal: stopped.signal })
    printTable(
      terminal,
      ["records", "brought", "left out"],
      Object.entries(progress).map(([step, { done, missing = 0 }]) => [step, String(done), String(missing)]),
    )
    return DONE
  } catch (error) {
    if (error instanceof RemoteRefused || error instanceof Refusal)
      throw new CommandFailed(`The archive can't be brought: ${error.message}`, "Nothing but what was brought before is here.")
    throw error
  } finally {
    await opened.close()
    quiet()
  }
}
