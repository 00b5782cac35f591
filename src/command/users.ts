import { findUserByName } from "../access/store.ts"
import type { User } from "../core/actor.ts"
import type { Handle } from "../core/database/database.ts"
import { flag } from "../core/database/tables/index.ts"
import { refuse } from "../core/errors.ts"
import { rfc3339 } from "../core/record.ts"
import { Compile } from "../core/schema.ts"
import { dropAvatar } from "../features/people/avatars/pictures.ts"
import { liftRequirement } from "../features/people/organizations/rules.ts"
import { findEnrolled, findTwoFactor } from "../features/people/sign-in/credentials/store.ts"
import { link } from "../features/people/sign-in/providers/links.ts"
import { disableTwoFactor, enableTwoFactor } from "../features/people/sign-in/second-factor/two-factor.ts"
import { requireAddress } from "../features/people/users/addresses.ts"
import { letGoWithoutFactor } from "../features/people/users/factors-store.ts"
import { requireAccountName } from "../features/people/users/names.ts"
import { CreateUserOption } from "../features/people/users/records.ts"
import { changePerson, createPerson, renamePerson } from "../features/people/users/rules.ts"
import { listPeople } from "../features/people/users/store.ts"
import { deletePerson, purgeRepositories } from "../features/site/administration/delete-person.ts"
import { CommandFailed } from "./failure.ts"
import { type Environment, personNamed, withInstallation } from "./installation.ts"
import { choosePassword } from "./password.ts"
import { printTable } from "./table.ts"
import type { Terminal } from "./terminal.ts"

/** The operator's commands for users, by the same rules as the API. Refusals are thrown; the caller prints them. */

export interface NewUser {
  readonly email: string
  readonly fullName: string
  readonly admin: boolean
  readonly mustChange: boolean
  readonly passwordStdin: boolean
}

const fullNames = Compile(CreateUserOption.properties.full_name)

/** Creates a user. This may be the first action on an installation that was never started. */
export async function addUser(terminal: Terminal, env: Environment, name: string, wanted: NewUser): Promise<void> {
  const { email, fullName, admin } = wanted
  // Checked before a password is asked for.
  requireAccountName(name, "username")
  requireAddress(email, "email")
  if (!fullNames.Check(fullName)) throw refuse.invalid("full_name", "is too long")
  await withInstallation(
    env,
    async ({ config, database, passwords, now }) => {
      const { password, isGenerated } = await choosePassword(terminal, config, name, wanted.passwordStdin)
      const passwordHash = await passwords.hash(password)
      await database.write((tx) =>
        createPerson(tx, {
          name,
          email,
          passwordHash,
          fullName,
          isAdmin: admin,
          mustChangePassword: wanted.mustChange,
          visibility: config.users.defaultVisibility,
          allowCreateOrganization: config.users.allowCreateOrganization,
          now: now(),
        }),
      )
      terminal.out(`${name} was made${admin ? " and administers the site" : ""}.`)
      if (isGenerated) terminal.out(`The password is ${password} and is shown this once.`)
    },
    { makes: true },
  )
}

/** Prints all users, by name. */
export function listUsers(terminal: Terminal, env: Environment, { json }: { readonly json: boolean }): Promise<void> {
  return withInstallation(env, async ({ database }) => {
    const people = await allUsers(database.read)
    const enrolled = new Set((await findEnrolled(database.read)).map((row) => row.user_id))
    if (json)
      terminal.out(
        JSON.stringify(
          people.map((user) => described(user, enrolled.has(user.id))),
          null,
          2,
        ),
      )
    else
      printTable(
        terminal,
        ["NAME", "ADDRESS", "FULL NAME", "ROLE", "STATE", "TWO-FACTOR", "SINCE"],
        people.map((user) => [
          user.name,
          user.email,
          user.full_name,
          user.is_admin === 1 ? "administrator" : "",
          stateOf(user),
          enrolled.has(user.id) ? "on" : "",
          rfc3339(user.created_at).slice(0, 10),
        ]),
      )
  })
}

const AT_ONCE = 500

async function allUsers(db: Handle): Promise<readonly User[]> {
  const people: User[] = []
  for (;;) {
    const { rows } = await listPeople(db, { sort: "name" }, { limit: AT_ONCE, offset: people.length })
    people.push(...rows)
    if (rows.length < AT_ONCE) return people
  }
}

const stateOf = (user: User): string =>
  user.is_active === 0
    ? "inactive"
    : user.prohibit_login === 1
      ? "may not sign in"
      : user.must_change_password === 1
        ? "must change password"
        : "active"

/** A user by the names of the API. */
const described = (user: User, twoFactor: boolean) => ({
  id: user.id,
  login: user.name,
  full_name: user.full_name,
  email: user.email,
  is_admin: user.is_admin === 1,
  active: user.is_active === 1,
  prohibit_login: user.prohibit_login === 1,
  restricted: user.is_restricted === 1,
  must_change_password: user.must_change_password === 1,
  two_factor: twoFactor,
  created: rfc3339(user.created_at),
})

/** Sets a user's password. */
export function changePassword(
  terminal: Terminal,
  env: Environment,
  name: string,
  wanted: { readonly passwordStdin: boolean },
): Promise<void> {
  return withInstallation(env, async ({ config, database, passwords, now }) => {
    const user = await personNamed(database.read, name)
    const { password, isGenerated } = await choosePassword(terminal, config, user.name, wanted.passwordStdin)
    const passwordHash = await passwords.hash(password)
    await database.write((tx) => changePerson(tx, user.id, { password_hash: passwordHash }, { now: now(), actor: undefined }))
    terminal.out(`${user.name} has a new password. Access tokens stay good; see \`hearth token list ${user.name}\`.`)
    if (isGenerated) terminal.out(`The password is ${password} and is shown this once.`)
  })
}

/** Renames a user. */
export function renameUser(terminal: Terminal, env: Environment, name: string, newName: string): Promise<void> {
  return withInstallation(env, async ({ database, now }) => {
    const user = await personNamed(database.read, name)
    const renamed = await database.write((tx) => renamePerson(tx, user.id, newName, now(), undefined))
    terminal.out(`${user.name} is called ${renamed.name} now. Addresses with the old name lead to the new one.`)
  })
}

/** Deletes a user after a confirmation. */
export function deleteUser(
  terminal: Terminal,
  env: Environment,
  name: string,
  { purge, yes }: { readonly purge: boolean; readonly yes: boolean },
): Promise<void> {
  return withInstallation(env, async (services) => {
    const user = await personNamed(services.database.read, name)
    if (!yes) await confirmDeletion(terminal, user, purge)
    if (purge) await purgeRepositories(services, user)
    await services.database.write((tx) => deletePerson(tx, services, user, purge))
    await dropAvatar(services, user.avatar)
    terminal.out(`${user.name} was deleted.`)
  })
}

async function confirmDeletion(terminal: Terminal, { name, repositories_count: count }: User, purge: boolean): Promise<void> {
  if (!terminal.interactive)
    throw new CommandFailed(`No one is there to confirm that ${name} is deleted.`, "Nothing was changed. Say --yes to do it unasked.")
  if (purge)
    terminal.say(
      `Deleting ${name} also deletes ${count} of their repositories, and organisations without another owner with all repositories.`,
    )
  const answer = await terminal.ask(`There is no way back. Type ${name} to delete it: `)
  if (answer.trim() !== name) throw new CommandFailed("That is another name.", "Nothing was changed.")
}

/** Makes a user a site administrator, or takes that away. */
export function setAdministrator(terminal: Terminal, env: Environment, name: string, on: boolean): Promise<void> {
  return withInstallation(env, async ({ database, now }) => {
    const user = await personNamed(database.read, name)
    await database.write((tx) => changePerson(tx, user.id, { is_admin: flag(on) }, { now: now(), actor: undefined }))
    terminal.out(on ? `${user.name} administers the site.` : `${user.name} doesn't administer the site.`)
  })
}

/** Activates or deactivates a user's account. */
export function setActive(terminal: Terminal, env: Environment, name: string, on: boolean): Promise<void> {
  return withInstallation(env, async ({ database, now }) => {
    const user = await personNamed(database.read, name)
    await database.write((tx) => changePerson(tx, user.id, { is_active: flag(on) }, { now: now(), actor: undefined }))
    terminal.out(on ? `${user.name} is active.` : `${user.name} is inactive: neither its password nor its tokens are accepted.`)
  })
}

/** Lets a person sign in with an identity elsewhere. */
export function linkUser(
  terminal: Terminal,
  env: Environment,
  name: string,
  { source, id, login }: { readonly source: string; readonly id: string; readonly login: string | undefined },
): Promise<void> {
  return withInstallation(env, async (services) => {
    const { config, database } = services
    const user = await personNamed(database.read, name)
    const sources = [...config.signIn.providers, ...config.signIn.directories].map((each) => each.name)
    if (!sources.includes(source))
      throw new CommandFailed(
        `There is no provider or directory ${source}.`,
        sources.length === 0
          ? "The settings name none: signIn.providers, signIn.directories."
          : `The settings name: ${sources.join(", ")}.`,
      )
    await database.write((tx) => link(services, tx, user, { provider: source, subject: id, label: login ?? user.name }, undefined))
    terminal.out(`${user.name} signs in as ${id} of ${source}.`)
  })
}

/** Gives a person days without the second factor that the site requires, or has an organisation require none: whoever is locked out gets in again. */
export function liftSecondFactor(terminal: Terminal, env: Environment, name: string, days: number): Promise<void> {
  return withInstallation(env, async ({ database, now }) => {
    const account = await findUserByName.first(database.read, { lowerName: name.toLowerCase() })
    if (account?.kind === "organization") {
      await database.write((tx) => liftRequirement(tx, account, now()))
      terminal.out(`${account.name} requires no second factor.`)
      return
    }
    const user = await personNamed(database.read, name)
    const until = now() + days * 86_400
    await database.write((tx) => letGoWithoutFactor.changes(tx, { userId: user.id, until }))
    terminal.out(`${user.name} needs no second factor of the site until ${rfc3339(until)}.`)
  })
}

/** Switches a user's second factor on or off. */
export function setTwoFactor(terminal: Terminal, env: Environment, name: string, on: boolean): Promise<void> {
  return withInstallation(env, async (services) => {
    const { database } = services
    const user = await personNamed(database.read, name)
    if (!on) {
      const had = await database.write((tx) => disableTwoFactor(tx, user))
      terminal.out(had ? `${user.name} signs in with the password alone.` : `${user.name} had no second factor.`)
      return
    }
    if (await findTwoFactor.first(database.read, { userId: user.id }))
      throw new CommandFailed(
        `${user.name} has a second factor already, whose secret is not told again.`,
        `For a new one, switch it off first: hearth user two-factor ${user.name} off`,
      )
    const { secret, address, recoveryCodes } = await database.write((tx) => enableTwoFactor(services, tx, user))
    terminal.out(`${user.name} is asked for a code beside the password from now on. These are shown this once, for an authenticator app:`)
    terminal.out(`secret   ${secret}`)
    terminal.out(`address  ${address}`)
    for (const code of recoveryCodes) terminal.out(`recovery ${code}`)
    terminal.out("Each recovery code is good once in place of a code of the app; they are to be kept where the app is not.")
  })
}
