import { refuse } from "../core/errors.ts"
import { rfc3339 } from "../core/record.ts"
import { Compile } from "../core/schema.ts"
import { chosenByNames, expiryOf } from "../features/people/sign-in/credentials/limits.ts"
import { CreateAccessTokenOption } from "../features/people/sign-in/credentials/records.ts"
import { countTokensOf, findTokenByName, findTokensOf } from "../features/people/sign-in/credentials/store.ts"
import { createToken, deleteToken } from "../features/people/sign-in/credentials/tokens.ts"
import { CommandFailed } from "./failure.ts"
import { type Environment, personNamed, withInstallation } from "./installation.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

/** The operator's commands for access tokens. */

const tokenNames = Compile(CreateAccessTokenOption.properties.name)

export interface NewTokenOptions {
  readonly scope: readonly string[]
  /** For how many days it is good. */
  readonly days?: number
  readonly repository?: readonly string[]
  readonly owner?: readonly string[]
}

/** Creates a token and prints nothing else, so that a script can read it. */
export async function addToken(
  terminal: Terminal,
  env: Environment,
  userName: string,
  name: string,
  { scope: scopes, days, repository: repositories, owner: owners }: NewTokenOptions,
): Promise<void> {
  if (!tokenNames.Check(name)) throw refuse.invalid("name", "must have 1 to 255 characters")
  await withInstallation(env, async ({ config, database, now }) => {
    const user = await personNamed(database.read, userName)
    const { token, row } = await database.write(async (tx) => {
      if (await findTokenByName.first(tx, { userId: user.id, name }))
        throw new CommandFailed(
          `${user.name} has a token ${name} already.`,
          `Choose another name, or remove that one first: hearth token remove ${user.name} ${name}`,
        )
      const chosen = await chosenByNames(tx, user, { repositories, owners })
      const at = days === undefined ? undefined : rfc3339(now() + days * 86_400)
      return createToken(tx, { userId: user.id, name, scopes, now: now(), chosen, expiresAt: expiryOf({ config, now }, at, undefined) })
    })
    terminal.say(`The token ${name} of ${user.name} for ${row.scopes}, shown this once:`)
    terminal.out(token)
  })
}

/** Prints a user's tokens, newest first. The tokens themselves are stored only as hashes. */
export function listTokens(terminal: Terminal, env: Environment, userName: string, { json }: { readonly json: boolean }): Promise<void> {
  return withInstallation(env, async ({ database }) => {
    const user = await personNamed(database.read, userName)
    const total = (await countTokensOf.first(database.read, { userId: user.id }))?.total ?? 0
    const tokens = await findTokensOf(database.read, { userId: user.id, limit: total, offset: 0 })
    const used = (at: number): string | null => (at === 0 ? null : rfc3339(at))
    if (json)
      terminal.out(
        JSON.stringify(
          tokens.map((row) => ({
            id: row.id,
            name: row.name,
            scopes: row.scopes.split(","),
            token_last_eight: row.last_eight,
            created_at: rfc3339(row.created_at),
            last_used_at: used(row.last_used_at),
            last_used_address: row.last_used_address,
            expires_at: used(row.expires_at),
            is_limited: row.is_limited === 1,
          })),
          null,
          2,
        ),
      )
    else
      printTable(
        terminal,
        ["NAME", "ENDS IN", "SCOPES", "MADE", "EXPIRES", "LAST USED"],
        tokens.map((row) => [
          row.name,
          row.last_eight,
          row.scopes,
          rfc3339(row.created_at),
          used(row.expires_at) ?? "never",
          used(row.last_used_at) ?? "never",
        ]),
      )
  })
}

/** Revokes a token; it is refused from the next request on. */
export function removeToken(terminal: Terminal, env: Environment, userName: string, name: string): Promise<void> {
  return withInstallation(env, async ({ database }) => {
    const user = await personNamed(database.read, userName)
    const removed = await database.write(async (tx) => {
      const token = await findTokenByName.first(tx, { userId: user.id, name })
      if (token) await deleteToken(tx, token)
      return token !== undefined
    })
    if (!removed)
      throw new CommandFailed(`${user.name} has no token ${name}.`, `\`hearth token list ${user.name}\` shows those that there are.`)
    terminal.out(`The token ${name} of ${user.name} was removed.`)
  })
}
