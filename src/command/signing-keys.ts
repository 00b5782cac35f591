import { FileExposed, readPrivateFile } from "../core/private-file.ts"
import { rfc3339 } from "../core/record.ts"
import { forgetSiteKey, renewSiteKey, setSiteKey } from "../features/code/signatures/keys.ts"
import { findSiteKeys } from "../features/code/signatures/keys-store.ts"
import { readSigningKey, UnusableSigningKey } from "../features/code/signatures/signing-key.ts"
import { CommandFailed } from "./failure.ts"
import { type Environment, withInstallation } from "./installation.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

/** The operator's commands for the keys that the site signs commits with. */

/** Prints the site's keys; of none the private half. */
export function listSigningKeys(terminal: Terminal, env: Environment, { json }: { readonly json: boolean }): Promise<void> {
  return withInstallation(env, async ({ database }) => {
    const keys = (await findSiteKeys(database.read)).map((row) => ({
      id: row.key_id,
      kind: row.kind,
      current: row.is_current === 1,
      created_at: rfc3339(row.created_at),
    }))
    if (json) terminal.out(JSON.stringify(keys, null, 2))
    else
      printTable(
        terminal,
        ["KEY", "KIND", "CURRENT", "MADE"],
        keys.map((key) => [key.id, key.kind, key.current ? "yes" : "no", key.created_at]),
      )
  })
}

/** Replaces the key of the configured kind. Fails where none is configured. */
export function renewSigningKey(terminal: Terminal, env: Environment): Promise<void> {
  return withInstallation(env, async (services) => {
    const { key } = services.config.signing
    if (key === "none") throw new CommandFailed("The site signs no commits.", "Set HEARTH_SIGNING_KEY to ssh or openpgp first.")
    const { key_id } = await renewSiteKey(services, key)
    terminal.out(`Commits are signed with ${key_id} from now on.`)
  })
}

/** Makes a key from a file the current one of its kind. */
export function importSigningKey(terminal: Terminal, env: Environment, file: string): Promise<void> {
  return withInstallation(env, async (services) => {
    const text = await readPrivateFile(file).catch((error: unknown) => {
      if (error instanceof FileExposed) throw new CommandFailed(error.message, "Nothing was changed.")
      throw new CommandFailed(`The file ${file} can't be read.`, error instanceof Error ? error.message : String(error))
    })
    if (text === undefined) throw new CommandFailed(`There is no file ${file}.`, "Name the file with the private key.")
    const key = await readSigningKey(text).catch((error: unknown) => {
      if (error instanceof UnusableSigningKey)
        throw new CommandFailed(`The key in ${file} can't be used: ${error.message}.`, "Nothing was changed.")
      throw error
    })
    await setSiteKey(services, key)
    const { key: kind } = services.config.signing
    terminal.out(`${key.keyId} is the site's ${key.kind} key now.`)
    if (kind !== key.kind) terminal.say(`Commits are signed with it once signing.key is ${key.kind}; now it is ${kind}.`)
  })
}

/** Forgets a former key. Fails for a current one, and for an unknown one. */
export function forgetSigningKey(terminal: Terminal, env: Environment, id: string): Promise<void> {
  return withInstallation(env, async (services) => {
    if (!(await forgetSiteKey(services, id)))
      throw new CommandFailed(
        `There is no former key ${id}.`,
        "`hearth signing-key list` shows those that there are; a current one is replaced first, with `hearth signing-key renew`.",
      )
    terminal.out(`The key ${id} was forgotten.`)
  })
}
