import { findRepositoryByName, findUserByName } from "../access/store.ts"
import type { Handle } from "../core/database/database.ts"
import type { Owning } from "../core/owner-scope.ts"
import { rfc3339 } from "../core/record.ts"
import { presentRunner, registrationToken, rotateRegistrationToken } from "../features/actions/runners/rules.ts"
import { findRunners } from "../features/actions/runners/store.ts"
import { CommandFailed } from "./failure.ts"
import { type Environment, withInstallation } from "./installation.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

/** The operator's commands for runners. */

/** Prints the registration token of an owner scope, and what to type on the machine that shall run jobs. */
export function registerToken(
  terminal: Terminal,
  env: Environment,
  place: string | undefined,
  { rotate }: { readonly rotate: boolean },
): Promise<void> {
  return withInstallation(env, async (services) => {
    const owning = await placeNamed(services.database.read, place)
    const token = await services.database.write((tx) => (rotate ? rotateRegistrationToken : registrationToken)(tx, services, owning))
    const url = services.site.rootUrl
    terminal.say(`Runners of ${place ?? "the whole site"} register with this token${rotate ? "; the one before is void" : ""}.`)
    terminal.say("On the machine that shall run jobs, where it reaches this site by the same address:")
    terminal.say(`  act_runner register --no-interactive --instance ${url} --token ${token} --labels host:host`)
    terminal.say("  act_runner daemon")
    terminal.say(
      "`host:host` runs jobs with `runs-on: host` on that machine itself; docs/actions.md has containers and what a runner may reach.",
    )
    terminal.out(token)
  })
}

async function placeNamed(db: Handle, place: string | undefined): Promise<Owning> {
  if (place === undefined) return { of: "site" }
  const [ownerName = "", name, ...more] = place.split("/")
  const owner = more.length === 0 ? await findUserByName.first(db, { lowerName: ownerName.toLowerCase() }) : undefined
  if (!owner)
    throw new CommandFailed(`There is no one called ${ownerName}.`, "Give the name of a person, an organisation, or owner/repository.")
  if (name === undefined) return { of: "owner", ownerId: owner.id }
  const repository = await findRepositoryByName.first(db, { ownerId: owner.id, lowerName: name.toLowerCase() })
  if (!repository) throw new CommandFailed(`${owner.name} has no repository ${name}.`, "Give owner/repository as in its address.")
  return { of: "repository", repositoryId: repository.id }
}

/** Prints all runners, the most recently online first. */
export function listRunners(terminal: Terminal, env: Environment, { json }: { readonly json: boolean }): Promise<void> {
  return withInstallation(env, async ({ database, now }) => {
    const site: Owning = { of: "site" }
    const { total } = await findRunners(database.read, site, undefined, { number: 1, limit: 0, offset: 0 })
    const { rows } = await findRunners(database.read, site, undefined, { number: 1, limit: total, offset: 0 })
    const runners = rows.map((row) => ({
      ...presentRunner(row, now()),
      version: row.version,
      last_online: row.online_at === 0 ? null : rfc3339(row.online_at),
    }))
    if (json) return terminal.out(JSON.stringify(runners, null, 2))
    if (runners.length === 0) return terminal.say("There are no runners. `hearth runner register-token` says how to start one.")
    printTable(
      terminal,
      ["ID", "NAME", "STATUS", "LABELS", "VERSION", "LAST ONLINE"],
      runners.map(({ id, name, status, disabled, labels, version, last_online }) => [
        String(id),
        name,
        disabled ? "disabled" : status,
        labels.map((label) => label.name).join(","),
        version,
        last_online ?? "never",
      ]),
    )
  })
}
