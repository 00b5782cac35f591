import { findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { AccountMailsTable } from "../../../core/database/tables/people.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findTokenById } from "../../people/sign-in/credentials/store.ts"
import { invitationCode } from "../../people/sign-in/registration/registration.ts"
import { findInvitation } from "../../people/sign-in/registration/store.ts"
import { standingInvitation, teamInvitationCode } from "../../people/teams/invitations.ts"
import { findTeamInvitation } from "../../people/teams/invitations-store.ts"
import { findAddressesOf } from "../../people/users/addresses-store.ts"
import { isUsable, makeCode, type Purpose } from "../../people/users/codes.ts"
import { findWhoLacks } from "../../people/users/factors-store.ts"
import { noteAccountMail } from "../../people/users/mails-store.ts"
import { composeAccountMail, composeInvitation, composeTeamInvitation, composeTokenExpiry } from "./compose-account.ts"

/** Mails to people about their own accounts, and about those that they may make. */

const AccountMail = Type.Object({
  about: oneOf(["welcome", "activation", "confirmation", "recovery", "guessing", "registered"]),
  userId: int64(),
  /** In lower case. Its current state is looked up when the mail is sent. */
  address: Type.String(),
})
type AccountMail = Static<typeof AccountMail>

/** The purpose of a mail's link; other mails have none. */
const PURPOSES = { activation: "activate", confirmation: "confirm", recovery: "recover" } as const satisfies Readonly<
  Partial<Record<AccountMailsTable["about"], Purpose>>
>

/** Seconds before the same mail is sent again to the same address. */
const PAUSE_SECONDS = 180

/**
 * Queues a mail in the transaction of the event. Its link is signed when the mail is sent, so that no stored text gives access to an account.
 * Does nothing where no mail server is configured, or within three minutes of the same mail.
 */
async function writeToAccount(
  tx: Transaction,
  { config, jobs, now }: Pick<Services, "config" | "jobs" | "now">,
  mail: AccountMail,
): Promise<void> {
  if (config.mail.host === "") return
  const moment = now()
  const noted = await noteAccountMail(tx, {
    userId: mail.userId,
    about: mail.about,
    lowerAddress: mail.address,
    now: moment,
    before: moment - PAUSE_SECONDS,
  })
  if ((noted.numInsertedOrUpdatedRows ?? 0n) > 0n) await jobs.enqueue(tx, accountMailJob, mail)
}

/** The subject of the mail for each event. */
const ABOUT = {
  "account.welcomeAsked": "welcome",
  "account.activationNeeded": "activation",
  "account.addressAdded": "confirmation",
  "account.recoveryAsked": "recovery",
  "account.codesGuessed": "guessing",
  "account.signUpRepeated": "registered",
} as const

type AccountEvent = EventOf<keyof typeof ABOUT>
const isAccountEvent = (event: DomainEvent): event is AccountEvent => Object.hasOwn(ABOUT, event.kind)

/** Sends mails to users about their own accounts. Mail about issues is part of notifications. */
export const accountMails: Listener = {
  name: "account mails",
  onlyTells: true,
  async hear({ tx, services, events }) {
    for (const event of events.filter(isAccountEvent))
      await writeToAccount(tx, services, { about: ABOUT[event.kind], userId: event.user.id, address: event.to.address })
    if (services.config.mail.host === "") return
    for (const event of events) {
      if (event.kind === "account.invited") await services.jobs.enqueue(tx, invitationMailJob, { invitationId: event.invitation.id })
      if (event.kind === "token.expires") await services.jobs.enqueue(tx, tokenExpiryMailJob, { tokenId: event.token.id })
      if (
        event.kind === "organization.edited" &&
        event.changed.includes("second_factor_due_at") &&
        event.organization.second_factor_due_at > 0
      )
        await services.jobs.enqueue(tx, requiredFactorMailsJob, {
          organizationId: event.organization.id,
          dueAt: event.organization.second_factor_due_at,
          after: 0,
        })
      if (event.kind === "team.invited") await services.jobs.enqueue(tx, teamInvitationMailJob, { invitationId: event.invitation.id })
    }
  },
}

/** Sends a mail about an account, if its subject still applies. */
export const accountMailJob = defineJob({
  kind: "mail.account",
  payload: AccountMail,
  timeoutSeconds: 120,
  run: async ({ about, userId, address: wanted }, { context, id, signal }) => {
    const { config, database, mailer, now, secrets, site } = context
    const user = await findUserById.first(database.read, { id: userId })
    const address = user && (await findAddressesOf(database.read, { userId })).find(({ lower_email }) => lower_email === wanted)
    if (!user || !address) return
    const content = { about, user, address: address.email, id }
    if (about === "welcome" || about === "guessing" || about === "registered") {
      if (user.is_active === 1) await mailer.send(composeAccountMail(site, content), signal)
      return
    }
    const holder = { purpose: PURPOSES[about], user, address }
    if (!isUsable(holder)) return
    const seconds = about === "recovery" ? config.security.recoverySeconds : config.users.confirmationSeconds
    const link = { code: makeCode(secrets, holder, now() + seconds), seconds }
    await mailer.send(composeAccountMail(site, { ...content, link }), signal)
  },
})

/** Sends the mail that an access token will expire, unless that has happened, or it is gone. */
export const tokenExpiryMailJob = defineJob({
  kind: "mail.tokenExpiry",
  payload: Type.Object({ tokenId: int64() }),
  timeoutSeconds: 120,
  run: async ({ tokenId }, { context, id, signal }) => {
    const { database, mailer, now, site } = context
    const token = await findTokenById.first(database.read, { id: tokenId })
    const user = token && (await findUserById.first(database.read, { id: token.user_id }))
    const seconds = token ? token.expires_at - now() : 0
    if (!user || user.is_active === 0 || seconds <= 0) return
    const address = (await findAddressesOf(database.read, { userId: user.id }))[0]
    if (!address) return
    await mailer.send(composeTokenExpiry(site, { user, address: address.email, id, name: token.name, seconds }), signal)
  },
})

/** Which organisation requires a second factor, and from when on. */
const RequiredFactor = { organizationId: int64(), dueAt: int64() }

/** Has all written to who lack the second factor that an organisation requires from now on, or from another time on than before. */
export const requiredFactorMailsJob = defineJob({
  kind: "mail.requiredFactors",
  payload: Type.Object({ ...RequiredFactor, after: int64() }),
  timeoutSeconds: 120,
  run: (wanted, { context }) => writeToSome(context, wanted),
})

/** Of how many people a transaction queues the mails. */
const AT_ONCE = 200

/** Queues the mails to the next people, and itself for those after them. */
async function writeToSome(
  { database, jobs }: Services,
  { organizationId, dueAt, after }: { readonly organizationId: number; readonly dueAt: number; readonly after: number },
): Promise<void> {
  await database.write(async (tx) => {
    const people = await findWhoLacks(tx, { organizationId, after, limit: AT_ONCE })
    for (const { id: userId } of people) await jobs.enqueue(tx, requiredFactorMailJob, { organizationId, dueAt, userId })
    const last = people[AT_ONCE - 1]
    if (last) await jobs.enqueue(tx, requiredFactorMailsJob, { organizationId, dueAt, after: last.id })
  })
}

/** Sends the mail to one of them, unless the organisation has thought better of it, or they have a second factor by now. */
export const requiredFactorMailJob = defineJob({
  kind: "mail.requiredFactor",
  payload: Type.Object({ ...RequiredFactor, userId: int64() }),
  timeoutSeconds: 120,
  run: async (wanted, { context, signal }) => (await import("./required-factors.ts")).writeAboutFactor(context, wanted, signal),
})

/** Sends the mail that invites to a team, as long as the invitation counts. */
export const teamInvitationMailJob = defineJob({
  kind: "mail.teamInvitation",
  payload: Type.Object({ invitationId: int64() }),
  timeoutSeconds: 120,
  run: async ({ invitationId }, { context, id, signal }) => {
    const { database, mailer, now, site } = context
    const invited = await standingInvitation(context, database.read, await findTeamInvitation.first(database.read, { id: invitationId }))
    if (!invited) return
    const { invitation, inviter, organization } = invited
    const link = { code: teamInvitationCode(context, invitation), seconds: invitation.expires_at - now() }
    const content = { address: invitation.lower_email, by: inviter.name, organization: organization.name, id, link }
    await mailer.send(composeTeamInvitation(site, content), signal)
  },
})

/** Sends the mail with which an account can be made, if that is still to be. */
export const invitationMailJob = defineJob({
  kind: "mail.invitation",
  payload: Type.Object({ invitationId: int64() }),
  timeoutSeconds: 120,
  run: async ({ invitationId }, { context, id, signal }) => {
    const { config, database, mailer, now, site } = context
    const invitation = await findInvitation.first(database.read, { id: invitationId })
    if (!invitation || invitation.expires_at <= now() || config.users.registration === "closed") return
    const by = invitation.invited_by === null ? undefined : await findUserById.first(database.read, { id: invitation.invited_by })
    const link = { code: invitationCode(context, invitation), seconds: invitation.expires_at - now() }
    await mailer.send(composeInvitation(site, { address: invitation.lower_email, by: by?.name, id, link }), signal)
  },
})
