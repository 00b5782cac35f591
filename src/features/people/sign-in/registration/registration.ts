import type { Selectable } from "kysely"
import type { User } from "../../../../core/actor.ts"
import { inConstantTime } from "../../../../core/constant-time.ts"
import type { Handle, Transaction } from "../../../../core/database/database.ts"
import type { InvitationsTable } from "../../../../core/database/tables/sign-in.ts"
import { refuse } from "../../../../core/errors.ts"
import { publish } from "../../../../core/events/publish.ts"
import type { Task } from "../../../../core/jobs/jobs.ts"
import { t } from "../../../../core/language/message.ts"
import { networkOf } from "../../../../core/networks.ts"
import { isMac, readSignedCode, signedCode } from "../../../../core/secrets.ts"
import type { Services } from "../../../../core/services.ts"
import { deleteOldTeamInvitations } from "../../teams/invitations-store.ts"
import type { Acting } from "../../users/accounts.ts"
import { findTypedAddress, requireAddress } from "../../users/addresses.ts"
import { requirePassword } from "../../users/passwords.ts"
import { createPerson } from "../../users/rules.ts"
import { link } from "../providers/links.ts"
import type { Identity } from "../providers/providers.ts"
import { deleteInvitation, deleteOldInvitations, findInvitation, findInvitationOf, saveInvitation } from "./store.ts"

/**
 * How people make accounts for themselves. All begins with an invitation of an address, whether someone else or the person asked for it: the code
 * in the mail proves the address, and the account is made with name and password by who has the code. So nothing is there before that: no name is
 * taken, and no account waits for a confirmation.
 */

export type Invitation = Selectable<InvitationsTable>

/** Seconds before a mail is sent again to the same address. */
const PAUSE_SECONDS = 180

/**
 * Invites an address to make an account, by mail where the site sends mail. An earlier code is void then. Refuses `invalid` for what is no address, `conflict` for one that
 * has an account, `forbidden` where registration is closed.
 */
export async function invite(
  services: Pick<Services, "config" | "now">,
  tx: Transaction,
  { email, actor }: { readonly email: string; readonly actor: Acting },
): Promise<Invitation> {
  if (services.config.users.registration === "closed")
    throw refuse.forbidden("registration is closed; set users.registration to invitation or open first")
  requireAddress(email, "email")
  if ((await findTypedAddress(tx, email))?.is_activated === 1) throw refuse.conflict(t`${email} belongs to an account already`)
  return save(services, tx, { email, actor, seconds: services.config.users.invitationSeconds })
}

async function save(
  { now }: Pick<Services, "now">,
  tx: Transaction,
  { email, actor, seconds }: { readonly email: string; readonly actor: Acting; readonly seconds: number },
): Promise<Invitation> {
  const moment = now()
  const invitation = await saveInvitation.first(tx, {
    lowerEmail: email.trim().toLowerCase(),
    invitedBy: actor?.id ?? null,
    now: moment,
    expiresAt: moment + seconds,
  })
  if (!invitation) throw refuse.conflict("the address was invited at the same time")
  publish(tx, { kind: "account.invited", invitation, actor, at: moment })
  return invitation
}

/**
 * The invitation of an address whose owner has shown what was mailed to it, and so needs no further mail; an earlier one stays as it is. Refuses `forbidden`
 * where registration is closed.
 */
export async function inviteProven(
  { config, now }: Pick<Services, "config" | "now">,
  tx: Transaction,
  { email, actor }: { readonly email: string; readonly actor: { readonly id: number } },
): Promise<Invitation> {
  if (config.users.registration === "closed") throw refuse.forbidden("New accounts are made by the administrators of this site")
  const lowerEmail = email.toLowerCase()
  const moment = now()
  const earlier = await findInvitationOf.first(tx, { lowerEmail })
  if (earlier && earlier.expires_at > moment) return earlier
  const expiresAt = moment + config.users.confirmationSeconds
  const made = await saveInvitation.first(tx, { lowerEmail, invitedBy: actor.id, now: moment, expiresAt })
  if (!made) throw refuse.conflict("the address was invited at the same time")
  return made
}

/** How many mails a network can ask for before each further one has to wait. */
const FREE_ASKS = 5

/**
 * Sends who asks a mail with which they can go on, or, where the address has an account, one that says so; the caller learns nothing of that, nor does
 * the time that it takes tell. `address` is the client's. Refuses `forbidden` where registration is not open, `invalid` for what is no address, `tooMany`
 * after several from one network.
 */
export const askForAccount = (services: Services, email: string, address: string): Promise<void> =>
  inConstantTime(mailSignUp(services, email, address))

async function mailSignUp(services: Services, email: string, address: string): Promise<void> {
  const { config, database, signIns, now } = services
  if (config.users.registration !== "open") throw refuse.forbidden("New accounts are made by invitation here")
  requireAddress(email.trim(), "email")
  const end = signIns.waits.begin([{ key: `mails ${networkOf(address)}`, free: FREE_ASKS, forgives: false }], now())
  if (typeof end === "number") throw refuse.tooSoon(t`Too many mails were asked for from here. Try again in ${end} seconds.`, end)
  end("wrong", now())
  await database.write(async (tx) => {
    const known = await findTypedAddress(tx, email)
    if (known?.is_activated === 1) {
      publish(tx, { kind: "account.signUpRepeated", user: { id: known.user_id }, to: { address: known.lower_email }, at: now() })
      return
    }
    const earlier = await findInvitationOf.first(tx, { lowerEmail: email.trim().toLowerCase() })
    if (earlier && now() - earlier.sent_at < PAUSE_SECONDS) return
    const actor = earlier?.invited_by ? { id: earlier.invited_by } : undefined
    await save(services, tx, { email, actor, seconds: config.users.confirmationSeconds })
  })
}

const DOMAIN = "code sign-up"
const signedText = ({ id, lower_email, expires_at }: Invitation): string => JSON.stringify([id, lower_email, expires_at])

/** The code of an invitation's mail; good once, until the invitation ends or is made anew. */
export const invitationCode = ({ secrets }: Pick<Services, "secrets">, invitation: Invitation): string =>
  signedCode(secrets, DOMAIN, invitation.id, signedText(invitation))

/** The invitation of a code, if it is good. */
export async function readInvitation(
  services: Pick<Services, "secrets" | "now">,
  db: Handle,
  code: string,
): Promise<Invitation | undefined> {
  const read = readSignedCode(code)
  const invitation = read && (await findInvitation.first(db, { id: read.id }))
  if (!invitation || invitation.expires_at <= services.now()) return undefined
  return isMac(services.secrets, DOMAIN, signedText(invitation), read.mac) ? invitation : undefined
}

export interface NewAccount {
  readonly code: string
  readonly name: string
  readonly password: string
}

/**
 * Makes the account of who was invited, which is active at once: its address is proven. The code is used up. Refuses `notFound` for a void code,
 * `invalid` for a name that can't be had, `badRequest` for a weak password.
 */
export async function signUp(services: Services, { code, name, password }: NewAccount): Promise<User> {
  const { config, database, passwords, now } = services
  if (config.users.registration === "closed") throw refuse.notFound()
  if (!(await readInvitation(services, database.read, code))) throw refuse.notFound()
  requirePassword(config, password)
  const passwordHash = await passwords.hash(password)
  return database.write(async (tx) => {
    const invitation = await readInvitation(services, tx, code)
    if (!invitation || (await deleteInvitation.changes(tx, { id: invitation.id, expiresAt: invitation.expires_at })) === 0)
      throw refuse.notFound()
    return createPerson(tx, {
      name,
      email: invitation.lower_email,
      passwordHash,
      visibility: config.users.defaultVisibility,
      allowCreateOrganization: config.users.allowCreateOrganization,
      now: now(),
    })
  })
}

/** Whether who comes from this provider may make an account. */
export const mayRegister = ({ config }: Pick<Services, "config">, { provider, verifiedEmail }: Identity): boolean =>
  verifiedEmail !== "" && config.signIn.providers.some((each) => each.name === provider && each.registration === true)

/**
 * Makes an account for who has signed in at a provider, and links it. Refuses `forbidden` where the provider doesn't vouch for the address or is not
 * trusted with that, `invalid` for a name or address that can't be had.
 */
export async function signUpBy(services: Services, identity: Identity, name: string): Promise<User> {
  const { config, database, now } = services
  if (!mayRegister(services, identity)) throw refuse.forbidden("New accounts are not made this way here")
  return database.write(async (tx) => {
    const user = await createPerson(tx, {
      name,
      email: identity.verifiedEmail,
      passwordHash: "",
      fullName: identity.fullName.slice(0, 100),
      visibility: config.users.defaultVisibility,
      allowCreateOrganization: config.users.allowCreateOrganization,
      now: now(),
    })
    await link(services, tx, user, identity, user)
    return user
  })
}

/** Removes invitations that are over. */
export const forgetInvitations: Task = {
  name: "forget_invitations",
  cron: "55 * * * *",
  run: async ({ database, now }) => {
    await database.write((tx) => deleteOldInvitations(tx, { now: now() }))
    await database.write((tx) => deleteOldTeamInvitations(tx, { now: now() }))
    return undefined
  },
}
