import { onTeamAsOwner } from "../../../access/policies/teams.ts"
import { created, noContent, type Operation, ok, operation, pathNumber } from "../../../core/operation.ts"
import { dateTime, int64, nonBlank, record, rfc3339 } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { EMAIL_LENGTH } from "../users/records.ts"
import { inviteToTeam, TEAM_INVITATION_PATH, teamInvitationCode, withdrawInvitation } from "./invitations.ts"
import { findTeamInvitations, type TeamInvitation as Row } from "./invitations-store.ts"

const shared = { tag: "organization", scope: ["organization"], access: onTeamAsOwner } as const

const TeamInvitation = record("TeamInvitation", {
  id: int64(),
  email: Type.String(),
  inviter: Type.String({ description: "the name of who has invited" }),
  created_at: dateTime(),
  sent_at: dateTime({ description: "when the mail was sent last, or the link made" }),
  expires_at: dateTime(),
  link: Type.Optional(Type.String({ description: "in the answer to inviting alone, and only where the site sends no mail" })),
})
type TeamInvitation = Static<typeof TeamInvitation>

const InviteToTeamOption = record("InviteToTeamOption", { email: nonBlank({ maxLength: EMAIL_LENGTH }) })

const presentInvitation = ({ id, lower_email, inviter, created_at, sent_at, expires_at }: Row & { inviter: string }): TeamInvitation => ({
  id,
  email: lower_email,
  inviter,
  created_at: rfc3339(created_at),
  sent_at: rfc3339(sent_at),
  expires_at: rfc3339(expires_at),
})

/** People who were invited to a team by mail, or by a link. */
export const teamInvitationOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgListTeamInvitations",
    since: "0.2.0",
    route: "GET /teams/{id}/invitations",
    summary: "List a team's open invitations",
    description: "Newest first. There are at most 50.",
    changesWithTime: true,
    answers: { 200: Type.Array(TeamInvitation) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, team }) =>
      ok((await findTeamInvitations(db, { teamId: team.id, now: services.now() })).map(presentInvitation)),
  }),

  operation({
    ...shared,
    id: "orgInviteToTeam",
    since: "0.2.0",
    route: "POST /teams/{id}/invitations",
    summary: "Invite an address to a team",
    description:
      "By a mail, with whose link a person joins the team, and makes an account where they have none and the site lets them. Where the site sends no mail, the answer has the link, once, to be passed on. Inviting again makes another link, and the one before is void. The answer is the same whether or not the address has an account.",
    body: InviteToTeamOption,
    answers: { 201: TeamInvitation },
    refuses: ["forbidden", "notFound", "invalid", "tooMany"],
    handle: async ({ services, actor, me, team, body }) => {
      const invitation = await services.database.write((tx) => inviteToTeam(services, tx, actor, team.id, body.email))
      const link = `${services.site.rootUrl}${TEAM_INVITATION_PATH}?code=${teamInvitationCode(services, invitation)}`
      return created({ ...presentInvitation({ ...invitation, inviter: me.name }), ...(services.config.mail.host === "" && { link }) })
    },
  }),

  operation({
    ...shared,
    id: "orgWithdrawTeamInvitation",
    since: "0.2.0",
    route: "DELETE /teams/{id}/invitations/{invitation_id}",
    summary: "Withdraw an invitation to a team",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, team, path }) => {
      await services.database.write((tx) => withdrawInvitation(tx, me, team.id, pathNumber(path.invitation_id)))
      return noContent()
    },
  }),
]
