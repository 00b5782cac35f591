import { createWriteStream, existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { findUserByName } from "../access/store.ts"
import { TarBroken } from "../core/text/tar.ts"
import { ArchiveRefused, withArchive } from "../features/site/copies/archive.ts"
import { exportAccount } from "../features/site/copies/export.ts"
import { putAccount } from "../features/site/copies/put-account.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import { type Environment, withInstallation } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

export async function exportTo(terminal: Terminal, env: Environment, name: string, file: string): Promise<ExitCode> {
  if (existsSync(file)) throw new CommandFailed(`${file} is there already.`, "Choose another name, or move it away.")
  return withInstallation(env, async (services): Promise<ExitCode> => {
    const account = await findUserByName.first(services.database.read, { lowerName: name.toLowerCase() })
    if (!account) throw new CommandFailed(`There is no account ${name}.`, "`hearth user list` shows who there is.")
    const draft = `${file}.part`
    try {
      await pipeline(exportAccount(services, account), createWriteStream(draft, { mode: 0o600 }))
      await rename(draft, file)
    } finally {
      await rm(draft, { force: true })
    }
    terminal.out(`${account.name} is in ${file}, with ${account.repositories_count} repositories.`)
    return DONE
  })
}

export async function importFrom(terminal: Terminal, env: Environment, file: string, { as }: { readonly as?: string }): Promise<ExitCode> {
  try {
    return await withArchive(file, ({ manifest, source }) =>
      withInstallation(env, async (services): Promise<ExitCode> => {
        const put = { accountId: manifest.account.id, name: as ?? manifest.account.name, progress: terminal.progress }
        const { account, isNew, repositories, skipped, faults } = await putAccount(services, source, put)
        terminal.progress("")
        terminal.out(`${repositories.length} repositories of ${manifest.account.name} at ${manifest.rootUrl} are ${account.name}'s now.`)
        if (skipped.length > 0) terminal.out(`Left as they are, since there are some of these names: ${skipped.join(", ")}.`)
        if (isNew && account.kind === "person")
          terminal.out(`The account is new, and nobody can sign in to it. \`hearth user password ${account.name}\` gives it a password.`)
        for (const fault of faults) terminal.say(fault)
        return faults.length > 0 ? FAILED : DONE
      }),
    )
  } catch (error) {
    if (error instanceof ArchiveRefused)
      throw new CommandFailed(error.message, "Use an archive that `hearth account export` or the settings of an account have made.")
    if (error instanceof TarBroken || (error instanceof Error && Reflect.get(error, "code") === "Z_DATA_ERROR"))
      throw new CommandFailed(
        `${file} can't be read: ${error.message}.`,
        "Take another copy of it. What was imported stays; run this again to go on.",
      )
    throw error
  }
}
