import { anyone, signedIn } from "../../access/policies/site.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { SIGN_UP_PATH } from "../../features/events/mail/compose-account.ts"
import { invitationCode, inviteProven } from "../../features/people/sign-in/registration/registration.ts"
import {
  acceptInvitation,
  declineInvitation,
  type Invited,
  readTeamInvitation,
  TEAM_INVITATION_PATH,
} from "../../features/people/teams/invitations.ts"
import { findTypedAddress } from "../../features/people/users/addresses.ts"
import { path, withQuery } from "../../web/address.ts"
import { buttonForm } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"

/** Where the link leads that invites to a team. */

const LOGIN_PATH = "/user/login"

/** No field of a form is named "code": a form that is sent after the session has ended would lose it. */
const fields = { invitation: Type.Optional(Type.String()) }

const backTo = (code: string): string => withQuery(TEAM_INVITATION_PATH, { code })

const shownAs = (title: Text, body: Shown["body"], status = 200): Shown => ({
  kind: "shown",
  status,
  title,
  unlisted: true,
  isPrivate: true,
  width: "narrow",
  body: html`
    <h1>${title}</h1>
    ${body}
  `,
})

const isVoid = shownAs(
  t("This link has expired"),
  html`
    <p role="alert">It was used, has expired, was withdrawn, or is incomplete.</p>
    <p>Ask for a new invitation.</p>
  `,
  404,
)

const nameOf = ({ team, organization }: Invited) =>
  html`the team <strong><bdi>${team.name}</bdi></strong> of <strong><bdi>${organization.name}</bdi></strong>`

export const invitationPages: readonly Page[] = [
  page({
    id: "team.invitation",
    address: `GET ${TEAM_INVITATION_PATH}`,
    access: anyone,
    changesWithTime: true,
    query: { code: Type.Optional(Type.String()) },
    answer: async ({ services, db, actor, query: { code = "" } }) => {
      if (code === "") return shownAs(t("Join a team"), html`<p>Follow the link of your invitation.</p>`)
      const invited = await readTeamInvitation(services, db, code)
      if (!invited) return isVoid
      const what = html`<p><bdi>${invited.inviter.name}</bdi> invites you to ${nameOf(invited)}.</p>`
      const given = { invitation: code }
      if (actor.kind === "user")
        return shownAs(
          t("Join a team"),
          html`
            ${what}
            <p>
              You join as <strong><bdi>${actor.user.name}</bdi></strong>, with the access of the team.
              Members of the organization can see your membership.
            </p>
            <div class="bar">
              ${buttonForm(`${TEAM_INVITATION_PATH}/accept`, t("Join"), given, "primary")}
              ${buttonForm(`${TEAM_INVITATION_PATH}/decline`, t("Decline"), given, "")}
            </div>
          `,
        )
      return shownAs(
        t("Join a team"),
        html`
          ${what}
          <p>Sign in to accept or decline.</p>
          <div class="bar">
            <a class="button primary" href="${withQuery(LOGIN_PATH, { redirect_to: backTo(code) })}" rel="nofollow">
              Sign in
            </a>
            ${
              services.config.users.registration !== "closed" &&
              buttonForm(`${TEAM_INVITATION_PATH}/register`, html`${icon("person-add")}Create an account`, given, "")
            }
          </div>
        `,
      )
    },
  }),

  page({
    id: "team.acceptInvitation",
    address: `POST ${TEAM_INVITATION_PATH}/accept`,
    access: signedIn,
    query: fields,
    again: (_call, refusal) =>
      refusal.kind === "notFound" ? isVoid : shownAs(t("You can’t join"), html`<p role="alert">${refusal.said}</p>`),
    answer: async ({ services, me, query: { invitation = "" } }) => {
      const { organization, team } = await services.database.write((tx) => acceptInvitation(services, tx, me, invitation))
      return moved(path("org", organization.name, "teams", team.name), {
        flash: t("You have joined the team {name}.", { name: team.name }),
      })
    },
  }),

  page({
    id: "team.declineInvitation",
    address: `POST ${TEAM_INVITATION_PATH}/decline`,
    access: signedIn,
    query: fields,
    again: () => isVoid,
    answer: async ({ services, me, query: { invitation = "" } }) => {
      await services.database.write((tx) => declineInvitation(services, tx, me, invitation))
      return moved("/", { flash: t("You have declined the invitation.") })
    },
  }),

  page({
    id: "team.registerInvited",
    address: `POST ${TEAM_INVITATION_PATH}/register`,
    access: anyone,
    query: fields,
    again: () => isVoid,
    // Who has the mail has shown that the address is theirs, and so may know whether it has an account. Where the site sends no mail, addresses are taken on trust.
    answer: async ({ services, db, query: { invitation: code = "" } }) => {
      const invited = await readTeamInvitation(services, db, code)
      if (!invited) return isVoid
      const email = invited.invitation.lower_email
      const back = { redirect_to: backTo(code) }
      if ((await findTypedAddress(db, email))?.is_activated === 1)
        return moved(withQuery(LOGIN_PATH, back), { flash: t("An account with this address exists already: sign in.") })
      const proven = await services.database.write((tx) => inviteProven(services, tx, { email, actor: invited.inviter }))
      return moved(withQuery(SIGN_UP_PATH, { code: invitationCode(services, proven), ...back }))
    },
  }),
]
