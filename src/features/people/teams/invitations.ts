import { roleIn } from "../../../access/policies/organization-role.ts"
import { findTeam, findUserById } from "../../../access/store.ts"
import type { Team } from "../../../access/visibility.ts"
import { type SignedIn, signedInAs, type User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import { isMac, readSignedCode, signedCode } from "../../../core/secrets.ts"
import type { Services } from "../../../core/services.ts"
import { requireAddress } from "../users/addresses.ts"
import { countAccountMails, findAccountMail, forgetAccountMails, noteAccountMail } from "../users/mails-store.ts"
import {
  deleteTeamInvitation,
  findTeamInvitation,
  findTeamInvitations,
  saveTeamInvitation,
  type TeamInvitation,
} from "./invitations-store.ts"
import { addTeamMember, lockTeam, onTeam } from "./membership.ts"

/**
 * Invitations to teams by mail, or by a link that who invites passes on, where the site sends no mail. Whether the address has an account is looked up nowhere, so that
 * who invites learns nothing of it. The code of the link is signed and stored nowhere; it is good once, for as long as who invited may do so.
 */

/** The page that the links lead to; the code follows as `?code=`. */
export const TEAM_INVITATION_PATH = "/org/invitation"

/** How many of one team can be open. */
export const MOST_INVITATIONS = 50
/** How many addresses someone can invite in a day, and seconds before the same one gets another mail: the site must not be a means to harass others. */
const ADDRESSES_A_DAY = 50
const PAUSE_SECONDS = 3600
const DAY = 86_400

const ABOUT = "teamInvitation"

/**
 * Invites an address to a team, by mail where the site sends mail; again where it was invited before, whose code is void then. Refuses `invalid` for what is no address
 * and for too many, `tooMany` within an hour of the same mail, `notFound` a deleted team.
 */
export async function inviteToTeam(
  { config, now }: Pick<Services, "config" | "now">,
  tx: Transaction,
  actor: SignedIn,
  teamId: number,
  email: string,
): Promise<TeamInvitation> {
  const typed = email.trim()
  requireAddress(typed, "email")
  const team = await lockTeam(tx, teamId)
  const at = now()
  const lowerEmail = typed.toLowerCase()
  const open = await findTeamInvitations(tx, { teamId, now: at })
  if (open.length >= MOST_INVITATIONS && !open.some(({ lower_email }) => lower_email === lowerEmail))
    throw refuse.invalid("email", t`is one too many: ${MOST_INVITATIONS} invitations are open; withdraw one`)
  if (config.mail.host !== "") await noteMail(tx, actor.user.id, lowerEmail, at)
  const invitation = await saveTeamInvitation(tx, {
    expiresAt: at + config.users.invitationSeconds,
    teamId: team.id,
    lowerEmail,
    invitedBy: actor.user.id,
    now: at,
  })
  publish(tx, { kind: "team.invited", ...onTeam(team, actor.user), invitation })
  return invitation
}

/** Writes down that someone has a mail sent to an address, and refuses too many. */
async function noteMail(tx: Transaction, userId: number, address: string, now: number): Promise<void> {
  const theirs = { userId, about: ABOUT } as const
  await forgetAccountMails(tx, { ...theirs, before: now - DAY })
  const last = await findAccountMail(tx, { about: ABOUT, userId, lowerAddress: address })
  const seconds = last ? last.sent_at + PAUSE_SECONDS - now : 0
  if (seconds > 0)
    throw refuse.tooSoon(t`You have invited this address just now. Try again in ${Math.ceil(seconds / 60)} minutes.`, seconds)
  const { total = 0 } = (await countAccountMails.first(tx, theirs)) ?? {}
  if (!last && total >= ADDRESSES_A_DAY) throw refuse.invalid("email", t`is one too many: ${ADDRESSES_A_DAY} can be invited within a day`)
  await noteAccountMail(tx, { ...theirs, lowerAddress: address, now, before: now - PAUSE_SECONDS })
}

/** Takes an invitation back. Refuses `notFound` for one that is not the team's. */
export async function withdrawInvitation(tx: Transaction, actor: Pick<User, "id">, teamId: number, id: number): Promise<void> {
  const team = await lockTeam(tx, teamId)
  const invitation = await findTeamInvitation.first(tx, { id })
  if (invitation?.team_id !== team.id) throw refuse.notFound()
  await end(tx, team, actor, invitation)
}

async function end(tx: Transaction, team: Team, actor: Pick<User, "id">, invitation: TeamInvitation): Promise<void> {
  if ((await deleteTeamInvitation.changes(tx, { id: invitation.id, sentAt: invitation.sent_at })) === 0) throw refuse.notFound()
  publish(tx, { kind: "team.uninvited", ...onTeam(team, actor), invitation })
}

export interface Invited {
  readonly invitation: TeamInvitation
  readonly team: Team
  readonly organization: User
  readonly inviter: User
}

/** What an invitation is to, as long as it counts: who invited may still add people to the team. */
export async function standingInvitation(
  { now }: Pick<Services, "now">,
  db: Handle,
  invitation: TeamInvitation | undefined,
): Promise<Invited | undefined> {
  if (!invitation || invitation.expires_at <= now()) return undefined
  const team = await findTeam.first(db, { id: invitation.team_id })
  const organization = team && (await findUserById.first(db, { id: team.organization_id }))
  const inviter = await findUserById.first(db, { id: invitation.invited_by })
  if (!organization || !inviter || inviter.is_active === 0 || inviter.prohibit_login === 1) return undefined
  const { isOwner } = await roleIn(db, signedInAs(inviter), organization)
  return isOwner ? { invitation, team, organization, inviter } : undefined
}

const DOMAIN = "code team invitation"
const signedText = ({ id, team_id, lower_email, sent_at, expires_at }: TeamInvitation): string =>
  JSON.stringify([id, team_id, lower_email, sent_at, expires_at])

/** The code of the link. */
export const teamInvitationCode = ({ secrets }: Pick<Services, "secrets">, invitation: TeamInvitation): string =>
  signedCode(secrets, DOMAIN, invitation.id, signedText(invitation))

/** What the code of a link is for; undefined where it is void. */
export async function readTeamInvitation(
  services: Pick<Services, "secrets" | "now">,
  db: Handle,
  code: string,
): Promise<Invited | undefined> {
  const read = readSignedCode(code)
  const invitation = read && (await findTeamInvitation.first(db, { id: read.id }))
  if (!invitation || !isMac(services.secrets, DOMAIN, signedText(invitation), read.mac)) return undefined
  return standingInvitation(services, db, invitation)
}

/** The same, with the team locked. Refuses `notFound` for a void code. */
async function requireInvited(services: Services, tx: Transaction, code: string): Promise<Invited> {
  const seen = await readTeamInvitation(services, tx, code)
  if (seen) await lockTeam(tx, seen.team.id)
  const invited = seen && (await readTeamInvitation(services, tx, code))
  if (!invited) throw refuse.notFound()
  return invited
}

/** Makes someone a member of the team that they were invited to; possession of the link is the proof. Uses the code up. Refuses like `addTeamMember`. */
export async function acceptInvitation(services: Services, tx: Transaction, user: User, code: string): Promise<Invited> {
  const invited = await requireInvited(services, tx, code)
  await end(tx, invited.team, user, invited.invitation)
  await addTeamMember(tx, user, invited.team.id, user)
  return invited
}

/** Uses the code up for nothing. Refuses `notFound` for a void one. */
export async function declineInvitation(services: Services, tx: Transaction, user: User, code: string): Promise<Invited> {
  const invited = await requireInvited(services, tx, code)
  await end(tx, invited.team, user, invited.invitation)
  return invited
}
