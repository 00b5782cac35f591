import { readdir, readFile, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { findRepositoryByName } from "../access/store.ts"
import { signedInAs } from "../core/actor.ts"
import { redact } from "../core/redact.ts"
import type { Services } from "../core/services.ts"
import { requireCreatable } from "../features/code/lifecycle/establish.ts"
import { SERVICES } from "../features/code/mirrors/records.ts"
import { faultOfRepositoryName } from "../features/code/repositories/names.ts"
import { establishAdopted } from "../features/site/adoption/adopt.ts"
import { servicesWithRecords } from "../features/site/migration/origins/index.ts"
import { MOST_ADDRESSES, queueImports } from "../features/site/migration/queue.ts"
import { CommandFailed, DONE, type ExitCode, FAILED } from "./failure.ts"
import { importArchive } from "./import-archive.ts"
import { type Whose, whose } from "./import-owner.ts"
import { type Environment, withInstallation } from "./installation.ts"
import type { Terminal } from "./terminal.ts"

export interface ImportCommand {
  readonly owner: string
  readonly as?: string
  readonly name?: string
  readonly service: string
  readonly private: boolean
}

/** The most bytes of a list. */
const MOST_BYTES = 1024 * 1024

export async function importMany(terminal: Terminal, env: Environment, what: string, options: ImportCommand): Promise<ExitCode> {
  const found = await stat(what).catch(() => undefined)
  if (!found)
    throw new CommandFailed(
      `There is no ${what}.`,
      "Name a folder of bare repositories, a file with one address a line, or an archive (.tar.gz).",
    )
  if (/\.(?:tgz|tar\.gz)$/.test(what)) return importArchive(terminal, env, what, options)
  if (!found.isDirectory() && found.size > MOST_BYTES)
    throw new CommandFailed(`${what} is larger than a list may be (1 MiB).`, "Split it, and import the parts one after the other.")
  return withInstallation(env, async (services): Promise<ExitCode> => {
    const { owner, doer } = await whose(services, options)
    if (found.isDirectory()) return takeFolders(services, terminal, resolve(what), { owner, doer })
    return queueList(services, terminal, what, { owner, doer, options })
  })
}

/** Takes the bare repositories of a folder that are not there yet. One that can't be taken is named, and the others go on. */
async function takeFolders(services: Services, terminal: Terminal, folder: string, { owner, doer }: Whose): Promise<ExitCode> {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name.endsWith(".git") && !entry.name.toLowerCase().endsWith(".wiki.git"))
    .map((entry) => entry.name.slice(0, -".git".length))
    .sort()
  if (names.length === 0)
    throw new CommandFailed(`${folder} has no bare repositories.`, "They are folders called NAME.git; name the folder that they lie in.")
  let [taken, left, failed] = [0, 0, 0]
  for (const name of names) {
    const db = services.database.read
    terminal.progress(`${name} (${taken + left + failed + 1} of ${names.length})`)
    if (await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: name.toLowerCase() })) left++
    else
      try {
        const fault = faultOfRepositoryName(name)
        if (fault !== undefined) throw new Error("no repository can be called so; rename the folder")
        await requireCreatable(db, services, { doer, owner, name })
        const path = join(folder, `${name}.git`)
        await establishAdopted(services, doer, { owner, name, folder: { path, wiki: join(folder, `${name}.wiki.git`), identity: "" } })
        taken++
      } catch (error) {
        failed++
        terminal.say(`${name} was not taken: ${redact(error instanceof Error ? error.message : String(error))}`)
      }
  }
  terminal.progress("")
  terminal.out(`${taken} repositories are ${owner.name}'s now${left > 0 ? `; ${left} were there already` : ""}.`)
  if (failed > 0) terminal.say(`${failed} were not taken. \`git fsck\` in their folders tells what is wrong; then run this again.`)
  return failed > 0 ? FAILED : DONE
}

interface List extends Whose {
  readonly options: ImportCommand
}

/** Puts the addresses of a list into the queue of the server. */
async function queueList(services: Services, terminal: Terminal, file: string, { owner, doer, options }: List): Promise<ExitCode> {
  const service = SERVICES.find((word) => word === options.service)
  if (!service) throw new CommandFailed(`There is no service ${options.service}.`, `Use one of ${SERVICES.join(", ")}.`)
  const lines = (await readFile(file, "utf8"))
    .split(/\r?\n/)
    .map((line) => line.replace(/^#.*$/, "").trim())
    .filter((line) => line !== "")
  if (lines.length === 0) throw new CommandFailed(`${file} has no addresses.`, "Write one http or https address a line.")
  const all = servicesWithRecords.includes(service)
  const parts = { issues: all, labels: all, milestones: all, pull_requests: all, releases: all, wiki: all }
  let queued = 0
  for (let from = 0; from < lines.length; from += MOST_ADDRESSES) {
    const addresses = lines.slice(from, from + MOST_ADDRESSES)
    const several = { addresses, repo_owner: owner.name, service, private: options.private, ...parts }
    try {
      queued += (await queueImports(services, signedInAs(doer), several)).length
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandFailed(
        `From entry ${from + 1} on nothing was put into the queue: ${reason}`,
        `${queued} imports wait. Mend the list, take what is queued out of it, and run this again.`,
      )
    }
  }
  terminal.out(
    `${queued} imports wait. The server brings them while it runs; ${doer.name} sees them at ${services.site.rootUrl}/repo/imports.`,
  )
  return DONE
}
