import type { User } from "../../../../core/actor.ts"
import { Refusal, refuse } from "../../../../core/errors.ts"
import { t } from "../../../../core/language/message.ts"
import { onFirstUseOf } from "../../../../core/memoize.ts"
import type { Services } from "../../../../core/services.ts"
import { createPerson } from "../../users/rules.ts"
import { openTurns } from "../credentials/turns.ts"
import { groupsThatCount, requireGroups, settleGroups } from "../providers/groups.ts"
import { link } from "../providers/links.ts"
import type { Identity } from "../providers/providers.ts"
import { findLinked, findLinksOf, touchLink } from "../providers/store.ts"
import { askDirectory, type Directory, type DirectoryPerson } from "./ldap.ts"

/**
 * Sign-ins by a password that a directory knows. An account here belongs to a person there by the directory's lasting id, as one of a provider does. An
 * account of one's own making is never let in by a directory, whatever its name is, and its password is never sent there.
 */

export interface Typed {
  readonly login: string
  readonly password: string
  readonly network: string
}

/** `elsewhere` where the account's own password counts; undefined where a directory knows neither person nor password. */
export type Outcome = { readonly kind: "elsewhere" } | { readonly kind: "right"; readonly user: User } | undefined

/** How much is asked of a directory at once, and how much may wait for that. */
const AT_ONCE = 8
const WAITING = 32

const turnsOf = onFirstUseOf((_services: Services) => openTurns(AT_ONCE, WAITING))

/** Refuses `busy` where a directory doesn't answer, `forbidden` for who is in no required group and for who can't have an account. */
export async function signInByDirectory(services: Services, user: User | undefined, typed: Typed): Promise<Outcome> {
  const { config, database } = services
  const { directories } = config.signIn
  if (user === undefined) {
    for (const directory of directories) {
      const person = await ask(services, directory, typed.login, typed)
      if (person) return { kind: "right", user: await enter(services, directory, person) }
    }
    return undefined
  }
  const links = await findLinksOf(database.read, { userId: user.id })
  const own = links.flatMap((each) => directories.filter(({ name }) => name === each.provider).map((directory) => ({ each, directory })))
  if (own.length === 0) return { kind: "elsewhere" }
  for (const { each, directory } of own) {
    // People may have another name here, and it may have changed there.
    for (const login of new Set([typed.login, each.label])) {
      const person = await ask(services, directory, login, typed)
      if (person?.subject === each.subject) return { kind: "right", user: await enter(services, directory, person) }
    }
  }
  return undefined
}

async function ask(
  services: Services,
  directory: Directory,
  login: string,
  { password, network }: Typed,
): Promise<DirectoryPerson | undefined> {
  try {
    const asked = await turnsOf(services)(network, () => askDirectory(directory, login, password))
    return typeof asked === "string" ? undefined : asked
  } catch (error) {
    if (error instanceof Refusal) throw error
    services.log.warn({ err: error, directory: directory.name }, "a directory can't be asked")
    throw refuse.busy(t`${directory.title ?? directory.name} doesn’t answer. Try again later, or sign in otherwise`)
  }
}

async function enter(services: Services, directory: Directory, person: DirectoryPerson): Promise<User> {
  const { database, now } = services
  const groups = groupsThatCount(directory, person.groups, { ignoresCase: true })
  const { subject, login } = person
  const found = await findLinked.first(database.read, { provider: directory.name, subject })
  if (!found) requireGroups(directory, groups)
  const identity: Identity = {
    provider: directory.name,
    subject,
    label: login,
    userName: login,
    fullName: person.fullName,
    verifiedEmail: person.mail,
    groups,
  }
  if (!found) return settleGroups(services, await register(services, directory, identity), identity, directory)
  const { link_id: id, ...user } = found
  await database.write((tx) => touchLink.changes(tx, { id, label: login, now: now() }))
  return settleGroups(services, user, identity, directory)
}

async function register(services: Services, directory: Directory, identity: Identity): Promise<User> {
  const { config, database, log, now } = services
  const { userName: name, verifiedEmail: email, fullName } = identity
  if (directory.registration === false) throw refuse.forbidden("New accounts are not made this way here")
  try {
    return await database.write(async (tx) => {
      const user = await createPerson(tx, {
        name,
        email,
        passwordHash: "",
        fullName: fullName.slice(0, 100),
        visibility: config.users.defaultVisibility,
        allowCreateOrganization: config.users.allowCreateOrganization,
        now: now(),
      })
      await link(services, tx, user, identity, user)
      return user
    })
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "invalid") throw error
    log.warn({ directory: directory.name, name, reason: error.message }, "a person of a directory can't have an account")
    throw refuse.forbidden("Your name or address there can’t be had here, or belongs to another account. Ask an administrator")
  }
}
