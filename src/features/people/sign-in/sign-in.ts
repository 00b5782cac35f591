import { findUserById } from "../../../access/store.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import type { SessionsTable } from "../../../core/database/tables/sign-in.ts"
import { refuse } from "../../../core/errors.ts"
import { onFirstUseOf } from "../../../core/memoize.ts"
import { networkOf } from "../../../core/networks.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { PASSWORDS_DIFFER, requirePassword } from "../users/passwords.ts"
import { changePerson } from "../users/rules.ts"
import { lockUser } from "../users/store.ts"
import { authenticatorOf, needsSecondStep, requireUsableAccount } from "./authenticate.ts"
import { isApplicationTokenText, isTokenText } from "./credentials/credentials.ts"
import { findTwoFactor } from "./credentials/store.ts"
import { openTicket, sealTicket, type TicketKind, useTicket } from "./credentials/tickets.ts"
import { beginAssertion, type Ceremony, type ShownPasskey, usePasskey } from "./passkeys/passkeys.ts"
import { settleGroups } from "./providers/groups.ts"
import { link, personBehind, rulesOf } from "./providers/links.ts"
import type { Identity } from "./providers/providers.ts"
import { useSecondFactor } from "./second-factor/two-factor.ts"

/**
 * The steps of a sign-in, whatever page they are on: a password or an account elsewhere, and then a code or a key where the account has a second factor; or a
 * passkey alone. There is no half session: what the first step has shown is in a sealed ticket, for the account as it was, and good once.
 */

/** A complete sign-in, from which a session can begin. */
export interface Complete {
  readonly kind: "complete"
  readonly user: User
  readonly method: SessionsTable["method"]
  readonly isRemembered: boolean
}

/** Who must change their password has shown all else: a new password completes the sign-in. */
export interface MustChange {
  readonly kind: "mustChange"
  readonly ticket: string
  /** For password managers. */
  readonly name: string
}

/** The first of two steps. */
export interface Begun {
  readonly kind: "begun"
  readonly ticket: string
  /** Where the account has keys that this browser may have too. */
  readonly passkey: Ceremony | undefined
}

const Known = Type.Object({
  provider: Type.String(),
  subject: Type.String(),
  label: Type.String(),
  userName: Type.String(),
  fullName: Type.String(),
  verifiedEmail: Type.String(),
  groups: Type.Array(Type.String()),
})

const sealable = (identity: Identity): Static<typeof Known> => ({ ...identity, groups: [...identity.groups] })

const firstStep = {
  purpose: "sign-in, first step",
  content: Type.Object({
    userId: Type.Integer(),
    version: Type.Integer(),
    isByProvider: Type.Boolean(),
    isRemembered: Type.Boolean(),
    /** To be linked with the account once the sign-in is complete. */
    identity: Type.Optional(Known),
  }),
  seconds: 300,
}

/** All factors are shown, and the password is to be changed. */
const lastStep = {
  purpose: "sign-in, new password",
  content: Type.Object({
    userId: Type.Integer(),
    version: Type.Integer(),
    method: Type.Union([Type.Literal("password"), Type.Literal("provider"), Type.Literal("passkey")]),
    isRemembered: Type.Boolean(),
    identity: Type.Optional(Known),
  }),
  seconds: 900,
}

/** An account elsewhere that no one here has, while the person decides whose it is. */
const stranger = {
  purpose: "account of a provider",
  content: Type.Object({ identity: Known, target: Type.String(), isRemembered: Type.Boolean() }),
  seconds: 1_800,
}

export type Stranger = Omit<Static<typeof stranger.content>, "identity"> & { readonly identity: Identity }

export interface ShownPassword {
  readonly login: string
  readonly password: string
  readonly isRemembered: boolean
  /** The client's: guesses are counted by it. */
  readonly address: string
  /** An account elsewhere, to be linked with this one. */
  readonly identity?: Identity | undefined
}

export interface SecondStep {
  readonly ticket: string
  readonly code: string
  /** In place of the code. */
  readonly passkey?: ShownPasskey | undefined
  readonly address: string
}

export interface NewPassword {
  readonly ticket: string
  readonly wanted: string
  /** The same, typed a second time. */
  readonly again: string
  readonly address: string
}

export interface SignIn {
  /** Refuses `badCredentials`, `forbidden` for an account that can't be used, `tooMany`. */
  readonly byPassword: (shown: ShownPassword) => Promise<Complete | Begun | MustChange>
  /** Refuses `forbidden` for an account that can't be used, and who is in none of the required groups. Undefined where no one here is linked with it. */
  readonly byIdentity: (identity: Identity, isRemembered: boolean) => Promise<Complete | Begun | MustChange | undefined>
  /** Of a person whose sign-in is to go on with the second step, where they have one. */
  readonly byPasskey: (shown: ShownPasskey & { readonly isRemembered: boolean }) => Promise<Complete | MustChange>
  /** The ticket of a first step that can still be gone on with, and what goes with it. */
  readonly goOn: (ticket: string) => Promise<Begun | undefined>
  /** Undefined where the first step is too old, was used, or the account has changed. Refuses `badRequest` for a wrong code or key, `tooMany`. */
  readonly secondStep: (shown: SecondStep) => Promise<Complete | MustChange | undefined>
  /** Whose password is to be changed by a ticket of `MustChange`; undefined where it is too old, or the account has changed. */
  readonly whoMustChange: (ticket: string) => Promise<MustChange | undefined>
  /** Undefined as `whoMustChange`, or where the ticket was used. Refuses `invalid` and `badRequest` for a password that can't be had. */
  readonly choosePassword: (shown: NewPassword) => Promise<Complete | undefined>
  readonly sealStranger: (stranger: Stranger) => string
  readonly openStranger: (ticket: string) => Stranger | undefined
  /**
   * Checks that the person of a session, which has both factors, is still the one who sits there: by the password or a key. Refuses `badCredentials`,
   * `badRequest` and `tooMany`.
   */
  readonly confirm: (user: User, shown: Confirmation) => Promise<void>
}

export interface Confirmation {
  readonly password: string
  readonly passkey?: ShownPasskey | undefined
  readonly address: string
}

export const signInOf = onFirstUseOf(openSignIn)

function openSignIn(services: Services): SignIn {
  const { database } = services
  const authenticator = authenticatorOf(services)

  // A password that must be changed is changed on the way.
  const requireUsablePerson = (user: User): void => requireUsableAccount(services, signedInAs({ ...user, must_change_password: 0 }))

  const hasApp = async (user: User): Promise<boolean> => (await findTwoFactor.first(database.read, { userId: user.id })) !== undefined

  async function begun(user: User, step: Omit<Static<typeof firstStep.content>, "userId" | "version">): Promise<Begun> {
    const ticket = sealTicket(services, firstStep, { userId: user.id, version: user.credentials_version, ...step })
    return { kind: "begun", ticket, passkey: await beginAssertion(services, user) }
  }

  async function settled(user: User, identity: Identity): Promise<User> {
    const rules = rulesOf(services, identity.provider)
    const now = await settleGroups(services, user, identity, rules)
    requireUsablePerson(now)
    return now
  }

  async function complete(user: User, done: Omit<Complete, "kind" | "user">, identity?: Identity): Promise<Complete | MustChange> {
    if (user.must_change_password === 1) {
      const content = { userId: user.id, version: user.credentials_version, ...done, ...(identity && { identity: sealable(identity) }) }
      return { kind: "mustChange", ticket: sealTicket(services, lastStep, content), name: user.name }
    }
    if (!identity) return { kind: "complete", user, ...done }
    await database.write((tx) => link(services, tx, user, identity, user))
    return { kind: "complete", user: await settled(user, identity), ...done }
  }

  const byPassword: SignIn["byPassword"] = async ({ login, password, isRemembered, address, identity }) => {
    // A token is not a password: a leaked one must not open a session.
    if (isTokenText(password) || isApplicationTokenText(password)) throw refuse.badCredentials()
    const { user, hasSecondFactor } = await authenticator.firstFactor(login.trim(), password, address)
    requireUsablePerson(user)
    if (hasSecondFactor || (await needsSecondStep(services, user)))
      return begun(user, { isByProvider: false, isRemembered, ...(identity && { identity: sealable(identity) }) })
    return complete(user, { method: "password", isRemembered }, identity)
  }

  const byIdentity: SignIn["byIdentity"] = async (identity, isRemembered) => {
    const person = await personBehind(services, identity)
    if (!person) return undefined
    const user = await settled(person, identity)
    if ((await hasApp(user)) || (await needsSecondStep(services, user))) return begun(user, { isByProvider: true, isRemembered })
    return complete(user, { method: "provider", isRemembered })
  }

  const byPasskey: SignIn["byPasskey"] = async ({ isRemembered, ...shown }) => {
    const user = await usePasskey(services, shown)
    requireUsablePerson(user)
    return complete(user, { method: "passkey", isRemembered })
  }

  async function opened<S extends typeof firstStep.content | typeof lastStep.content>(text: string, step: TicketKind<S>) {
    const ticket = openTicket(services, step, text)
    const user = ticket && (await findUserById.first(database.read, { id: ticket.content.userId }))
    return ticket && user?.credentials_version === ticket.content.version ? { ticket, user } : undefined
  }

  const goOn: SignIn["goOn"] = async (text) => {
    const known = await opened(text, firstStep)
    return known && { kind: "begun", ticket: text, passkey: await beginAssertion(services, known.user) }
  }

  const secondStep: SignIn["secondStep"] = async ({ ticket: text, code, passkey, address }) => {
    const known = await opened(text, firstStep)
    if (!known) return undefined
    const { ticket, user } = known
    requireUsablePerson(user)
    if (passkey) await usePasskey(services, passkey, user)
    else if (!(await hasApp(user)) || !(await useSecondFactor(services, user, code.replace(/\s/g, "") || undefined, address)))
      throw refuse.invalid("code", "must be what your authenticator app shows now, and not used before; or one of your recovery codes")
    if (!(await database.write((tx) => useTicket(tx, ticket)))) return undefined
    const { isByProvider, isRemembered, identity } = ticket.content
    return complete(user, { method: isByProvider ? "provider" : "password", isRemembered }, identity)
  }

  const whoMustChange: SignIn["whoMustChange"] = async (text) => {
    const known = await opened(text, lastStep)
    return known && { kind: "mustChange", ticket: text, name: known.user.name }
  }

  const choosePassword: SignIn["choosePassword"] = async ({ ticket: text, wanted, again, address }) => {
    const known = await opened(text, lastStep)
    if (!known) return undefined
    const { ticket, user } = known
    requireUsablePerson(user)
    if (wanted !== again) throw refuse.invalid("new_password_again", PASSWORDS_DIFFER)
    requirePassword(services.config, wanted)
    if (await services.passwords.verify(wanted, user.password_hash, networkOf(address)))
      throw refuse.invalid("new_password", "must differ from the current password")
    const changes = { password_hash: await services.passwords.hash(wanted), must_change_password: 0 } as const
    const { version, method, isRemembered, identity } = ticket.content
    return database.write(async (tx): Promise<Complete | undefined> => {
      const { credentials_version: now } = await lockUser(tx, user.id)
      if (now !== version || !(await useTicket(tx, ticket))) return undefined
      const changed = await changePerson(tx, user.id, changes, { now: services.now(), actor: user })
      if (identity) await link(services, tx, changed, identity, changed)
      return { kind: "complete", user: changed, method, isRemembered }
    })
  }

  const confirm: SignIn["confirm"] = async (user, { password, passkey, address }) => {
    if (passkey) {
      await usePasskey(services, passkey, user)
      return
    }
    if (isTokenText(password) || isApplicationTokenText(password)) throw refuse.badCredentials()
    const shown = await authenticator.firstFactor(user.name, password, address)
    if (shown.user.id !== user.id) throw refuse.badCredentials()
  }

  return {
    byPassword,
    byIdentity,
    byPasskey,
    goOn,
    secondStep,
    whoMustChange,
    choosePassword,
    confirm,
    sealStranger: ({ identity, ...content }) => sealTicket(services, stranger, { ...content, identity: sealable(identity) }),
    openStranger: (ticket) => openTicket(services, stranger, ticket)?.content,
  }
}
