import type { User } from "../../../core/actor.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { secondsOf } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { replacePrimaryAddress } from "./addresses.ts"
import { findAddressesOf } from "./addresses-store.ts"
import { isUsable } from "./codes.ts"
import { requirePassword } from "./passwords.ts"
import type { CreateUserOption, EditUserOption } from "./records.ts"
import { changePerson, createPerson, type PersonChanges, requirePerson } from "./rules.ts"

/** Requests of site administrators, translated into calls of the rules. */

/**
 * Creates a user as an administrator requests. Refuses `badRequest` for a missing or weak password, and `invalid`, naming the field, for
 * everything else that is not acceptable.
 */
export async function createRequestedUser(services: Services, actor: User, asked: CreateUserOption): Promise<User> {
  const { config, database, passwords, now } = services
  requireBuiltInSource(asked.source_id)
  const createdAt = asked.created_at === undefined ? undefined : momentOf(asked.created_at)
  const password = asked.password ?? ""
  requirePassword(config, password)
  const passwordHash = await passwords.hash(password)
  const isActive = config.mail.host === "" || !config.users.activateByMail
  return database.write(async (tx) => {
    const user = await createPerson(tx, {
      name: asked.username,
      email: asked.email,
      passwordHash,
      fullName: asked.full_name,
      loginName: asked.login_name,
      sourceId: asked.source_id,
      mustChangePassword: asked.must_change_password ?? true,
      restricted: asked.restricted,
      visibility: asked.visibility || config.users.defaultVisibility,
      allowCreateOrganization: config.users.allowCreateOrganization,
      isActive,
      createdAt,
      now: now(),
      actor,
    })
    const mail = { user, to: { address: user.email.toLowerCase() }, at: now() }
    if (!isActive) publish(tx, { kind: "account.activationNeeded", ...mail })
    else if (asked.send_notify) publish(tx, { kind: "account.welcomeAsked", ...mail })
    return user
  })
}

/**
 * Changes a user as an administrator requests, all or nothing. Refuses `badRequest` for a weak password, an invalid or taken address, and
 * a change that would leave the site without an administrator; `invalid` for an organisation and an unknown source.
 */
export async function editRequestedUser(services: Services, actor: User, user: User, asked: EditUserOption): Promise<User> {
  const { config, database, passwords, now } = services
  requirePerson(user)
  requireBuiltInSource(asked.source_id)
  const { email, password } = asked
  // Clients send an empty one if they have none.
  if (password) requirePassword(config, password)
  const passwordHash = password ? await passwords.hash(password) : undefined
  return database.write(async (tx) => {
    const moment = now()
    // Clients expect a plain 400, unlike the same refusal when a user is created.
    if (email !== undefined) await asBadRequest(() => replacePrimaryAddress(tx, user.id, email, { field: "email", now: moment, actor }))
    const changed = await changePerson(tx, user.id, { ...changesOf(asked), password_hash: passwordHash }, { now: moment, actor })
    // A user who waits for the activation mail gets it at the new address.
    const [primary] = email === undefined ? [] : await findAddressesOf(tx, { userId: user.id })
    if (primary && isUsable({ purpose: "activate", user: changed, address: primary }))
      publish(tx, { kind: "account.activationNeeded", user, to: { address: primary.lower_email }, at: moment })
    return changed
  })
}

const changesOf = (asked: EditUserOption): PersonChanges => ({
  full_name: asked.full_name,
  website: asked.website,
  description: asked.description,
  location: asked.location,
  login_name: asked.login_name,
  source_id: asked.source_id,
  visibility: asked.visibility || undefined,
  max_repositories: asked.max_repo_creation,
  must_change_password: optionalFlag(asked.must_change_password),
  is_active: optionalFlag(asked.active),
  is_admin: optionalFlag(asked.admin),
  is_restricted: optionalFlag(asked.restricted),
  prohibit_login: optionalFlag(asked.prohibit_login),
  allow_create_organization: optionalFlag(asked.allow_create_organization),
})

const optionalFlag = (value: boolean | undefined) => (value === undefined ? undefined : flag(value))

function requireBuiltInSource(id: number | undefined): void {
  if (id !== undefined && id !== 0) throw refuse.invalid("source_id", t`there is no authentication source ${id}; 0 is the built-in one`)
}

function momentOf(text: string): number {
  const seconds = secondsOf(text) ?? 0
  if (!(seconds > 0)) throw refuse.invalid("created_at", "must be after 1970")
  return seconds
}

async function asBadRequest(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw error instanceof Refusal && error.kind === "invalid" ? new Refusal("badRequest", error.said, error.field) : error
  }
}
