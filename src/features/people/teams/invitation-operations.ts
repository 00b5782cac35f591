import { onTeamAsOwner } from "../../../access/policies/teams.ts"
import { created, noContent, type Operation, ok, operation, pathNumber } from "../../../core/operation.ts"
import { dateTime, int64, nonBlank, record, rfc3339 } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { EMAIL_LENGTH } from "../users/records.ts"
import { inviteToTeam, withdrawInvitation } from "./invitations.ts"
import { findTeamInvitations, type TeamInvitation as Row } from "./invitations-store.ts"

const shared = { tag: "organization", scope: ["organization"], access: onTeamAsOwner } as const

const TeamInvitation = record("TeamInvitation", {
  id: int64(),
  email: Type.String(),
  inviter: Type.String({ description: "the name of who has invited" }),
  created_at: dateTime(),
  sent_at: dateTime({ description: "when the mail was sent last" }),
  expires_at: dateTime(),
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

/** People who were invited to a team by mail. */
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
      "By a mail, with whose link a person joins the team, and makes an account where they have none and the site lets them. Inviting again sends another mail, and the link of the one before is void. The answer is the same whether or not the address has an account.",
    body: InviteToTeamOption,
    answers: { 201: TeamInvitation },
    refuses: ["badRequest", "forbidden", "notFound", "invalid", "tooMany"],
    handle: async ({ services, actor, me, team, body }) => {
      const invitation = await services.database.write((tx) => inviteToTeam(services, tx, actor, team.id, body.email))
      return created(presentInvitation({ ...invitation, inviter: me.name }))
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
