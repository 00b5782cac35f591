import { existsSync } from "node:fs"
import { findUserByName, findUserRedirect } from "../access/store.ts"
import { openServices } from "../app.ts"
import type { User } from "../core/actor.ts"
import { loadConfig } from "../core/config.ts"
import type { Handle } from "../core/database/database.ts"
import type { Services } from "../core/services.ts"
import { CommandFailed } from "./failure.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Runs one piece of work on an installation, also beside a running server. Where nothing was started yet it fails with {@link CommandFailed} rather
 * than create data in a mistyped folder, unless `makes` is set.
 */
export async function withInstallation<T>(env: Environment, work: (services: Services) => Promise<T>, { makes = false } = {}): Promise<T> {
  const { databaseUrl, dataDir } = loadConfig({ env }).config
  const file = /^sqlite:(\/.*)$/.exec(databaseUrl)?.[1]
  if (file !== undefined && !makes && !existsSync(file))
    throw new CommandFailed(
      `There is no Hearth in ${dataDir}: ${file} is missing.`,
      "Start it once with `hearth serve`, or name the right folder with --data-dir.",
    )
  const opened = await openServices({ env })
  try {
    return await work(opened.services)
  } finally {
    await opened.close()
  }
}

const LIST_HINT = "`hearth user list` shows who there is."

/** The user of a name, in any letter case. Fails with {@link CommandFailed} for unknown names, organisations, and former names. */
export async function personNamed(db: Handle, name: string): Promise<User> {
  const lowerName = name.toLowerCase()
  const user = await findUserByName.first(db, { lowerName })
  if (user?.kind === "person") return user
  if (user) throw new CommandFailed(`${user.name} is an organisation, not a person.`, LIST_HINT)
  const renamed = await findUserRedirect.first(db, { lowerName })
  if (renamed) throw new CommandFailed(`${name} is called ${renamed.name} now.`, "Use that name.")
  throw new CommandFailed(`There is no one called ${name}.`, LIST_HINT)
}
