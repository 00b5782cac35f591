import { UNITS } from "../../access/modes.ts"
import { onOrganizationAsMember } from "../../access/policies/organizations.ts"
import { memberOf } from "../../core/check.ts"
import { form } from "../../core/forms/form.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Draft, moved, type Page, type PageAnswer, page } from "../../core/page.ts"
import { findMembers } from "../../features/people/organizations/store.ts"
import { teamInvitationOperations } from "../../features/people/teams/invitation-operations.ts"
import { findTeamInvitations, type TeamInvitation } from "../../features/people/teams/invitations-store.ts"
import { teamMemberOperations } from "../../features/people/teams/member-operations.ts"
import type { Team as TeamRecord } from "../../features/people/teams/records.ts"
import { countTeamMembers, findTeamMembers } from "../../features/people/teams/store.ts"
import { path } from "../../web/address.ts"
import { empty, notice, pager, toCopy } from "../../web/components.ts"
import { formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { time } from "../../web/time.ts"
import { accountRows } from "../parts/account/list-view.ts"
import type { InOrganization } from "../parts/account/shared.ts"
import { modeWords, UNIT_WORDS } from "./team-edit.ts"
import { locateTeam, OFFERED, teamPage, withTeam } from "./team-frame.ts"

/** Who is in a team, and who was invited to it. */

const people: Page = page({
  id: "organization.team",
  address: "GET /org/{org}/teams/{team}",
  access: onOrganizationAsMember,
  answer: async (call) => {
    const { services, db, actor, organization, role, page: rows, reader } = call
    const team = await locateTeam(call, call.path.team)
    const total = (await countTeamMembers.first(db, { teamId: team.id }))?.total ?? 0
    const members = await findTeamMembers(db, { teamId: team.id, limit: rows.limit, offset: rows.offset })
    const invitations = role.isOwner ? await findTeamInvitations(db, { teamId: team.id, now: services.now() }) : []
    const offered = role.isOwner ? (await findMembers(db, organization, actor, "all", OFFERED)).rows : []
    const body = (record: TeamRecord) => [
      members.length > 0
        ? accountRows(
            members,
            role.isOwner
              ? ({ name }) =>
                  formButton(removeMember, { ...call.path, username: name }, html`Remove<span class="hidden-text"> ${name}</span>`)
              : undefined,
          )
        : empty("people", t("No members yet"), t("Owners can add members.")),
      pager(reader.url, rows, total),
      role.isOwner && adding(call, offered),
      role.isOwner && invited(call, invitations),
      rightsOf(record),
    ]
    return teamPage(call, team, "members", body, [removeMember, inviteAgain, withdraw])
  },
})

interface TeamCall extends Pick<InOrganization, "services"> {
  readonly path: Readonly<Record<"org" | "team", string>>
  readonly draft: Draft | undefined
}

const adding = ({ path: at, draft }: TeamCall, offered: readonly { readonly name: string }[]): Html =>
  html`
    <section class="stack">
      <h3>Add a member</h3>
      ${formView(addMember, {
        path: at,
        draft,
        submit: t("Add"),
        fields: [
          {
            kind: "line",
            name: "username",
            label: t("Name"),
            required: true,
            maxlength: 40,
            options: offered.map(({ name }) => name),
            hint: t("They also become a member of the organization."),
          },
        ],
      })}
    </section>
  `

type Invitation = TeamInvitation & { readonly inviter: string }

/** Who was invited, and a form to invite someone. */
const invited = ({ services, path: at, draft }: TeamCall, rows: readonly Invitation[]): Html => {
  const now = services.now()
  const hasMail = services.config.mail.host !== ""
  return html`
    <section class="stack" id="invitations">
      <h3>Invite by e-mail address</h3>
      ${
        rows.length > 0 &&
        html`
          <ul class="rows">${rows.map((row) => invitationRow(row, at, now, hasMail))}</ul>
        `
      }
      ${formView(invite, {
        path: at,
        draft,
        submit: t("Invite"),
        look: "plain",
        fields: [
          {
            kind: "line",
            name: "email",
            label: t("E-mail address"),
            type: "email",
            required: true,
            maxlength: 254,
            hint: hasMail
              ? t("They will get a link to join the team.")
              : t("You will get a link to pass on: this site does not send mail."),
          },
        ],
      })}
    </section>
  `
}

const invitationRow = (row: Invitation, at: TeamCall["path"], now: number, hasMail: boolean): Html =>
  html`
    <li>
      ${icon("mail")}
      <div class="main">
        <p class="title break">${row.lower_email}</p>
        <p class="meta">
          <span>invited by <bdi>${row.inviter}</bdi> ${time(row.sent_at, now)}</span>
          <span>until ${time(row.expires_at, now)}</span>
        </p>
      </div>
      <div class="acts">
        ${formButton(
          inviteAgain,
          at,
          hasMail
            ? html`Send again<span class="hidden-text"> to ${row.lower_email}</span>`
            : html`New link<span class="hidden-text"> for ${row.lower_email}</span>`,
          { email: row.lower_email },
        )}
        ${formButton(
          withdraw,
          { ...at, invitation_id: String(row.id) },
          html`Withdraw<span class="hidden-text"> the invitation of ${row.lower_email}</span>`,
        )}
      </div>
    </li>
  `

const addMember = form({
  id: "team.addMember",
  address: "POST /org/{org}/teams/{team}",
  does: named(teamMemberOperations, "orgAddTeamMember"),
  on: people,
  also: ["username"],
  picks: async (values, field, request) => ({ ...(await withTeam(values, request)), username: field("username").trim() }),
  missing: ["username", t("no such user")],
  done: t("Added."),
})

const removeMember = form({
  id: "team.removeMember",
  address: "POST /org/{org}/teams/{team}/members/{username}/remove",
  does: named(teamMemberOperations, "orgRemoveTeamMember"),
  on: people,
  path: withTeam,
  done: t("Member removed."),
})

const INVITING = { does: named(teamInvitationOperations, "orgInviteToTeam"), on: people, path: withTeam, takes: ["email"] } as const

/** Where the site sends no mail, who invited gets the link, once; else they are told that it was sent. */
const linkOr =
  (sent: Text) =>
  ({
    record,
    path: { org, team },
    field,
  }: {
    readonly record: unknown
    readonly path: TeamCall["path"]
    readonly field: (name: string) => string
  }): PageAnswer => {
    const link = memberOf(record, "link")
    const back = path("org", org, "teams", team)
    if (typeof link !== "string") return moved(back, { flash: sent })
    return {
      kind: "shown",
      title: t("Invitation"),
      unlisted: true,
      isPrivate: true,
      width: "narrow",
      body: html`
        <h1>Invitation</h1>
        <p>
          With this link <span class="break">${field("email")}</span> can join the team <strong><bdi>${team}</bdi></strong>, once.
          Earlier links no longer work.
        </p>
        ${notice("good", t("Copy it now: you won’t be able to see it again."))}
        ${toCopy(link, t("Copy the link"))}
        <p><a class="button primary" href="${back}">${t("Done|action")}</a></p>
      `,
    }
  }

const invite = form({
  ...INVITING,
  id: "team.invite",
  address: "POST /org/{org}/teams/{team}/invitations",
  shows: linkOr(t("Invitation sent.")),
})

const inviteAgain = form({
  ...INVITING,
  id: "team.inviteAgain",
  address: "POST /org/{org}/teams/{team}/invitations/again",
  shows: linkOr(t("Invitation sent again. The earlier link no longer works.")),
})

const withdraw = form({
  id: "team.withdrawInvitation",
  address: "POST /org/{org}/teams/{team}/invitations/{invitation_id}/withdraw",
  does: named(teamInvitationOperations, "orgWithdrawTeamInvitation"),
  on: people,
  path: withTeam,
  done: t("Invitation cancelled."),
})

/** What the team may do in each part of its repositories. */
const rightsOf = (team: TeamRecord): Html =>
  html`
    <section class="stack">
      <h3>Permissions</h3>
      <p class="small">
        ${team.includes_all_repositories ? t("All repositories of the organization.") : t("The repositories of the team.")}
        ${team.can_create_org_repo && t(" Members can create repositories.")}
      </p>
      <div class="scrolls">
        <table class="data">
          <thead>
            <tr>
              <th>Part</th>
              <th>Permission</th>
            </tr>
          </thead>
          <tbody>
            ${UNITS.map(
              (unit) => html`
                <tr>
                  <th scope="row">${UNIT_WORDS[unit][0]}</th>
                  <td>${modeWords(team.units_map[unit])}</td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
    </section>
  `

export const teamMemberPages: readonly Page[] = [people, addMember, removeMember, invite, inviteAgain, withdraw]
