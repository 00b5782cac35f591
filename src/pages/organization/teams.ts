import { isExternalUnit, Mode, modeName, UNITS, type Unit } from "../../access/modes.ts"
import { onOrganizationAsMember, onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { type Team, teamReadable } from "../../access/policies/teams.ts"
import { findTeamMember, findUserByName } from "../../access/store.ts"
import { memberOf } from "../../core/check.ts"
import { refuse } from "../../core/errors.ts"
import { form, type Typed } from "../../core/forms/form.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { named, type Request } from "../../core/operation.ts"
import { type Draft, type Page, page, type Shown } from "../../core/page.ts"
import { teamRepositoryOperations } from "../../features/code/collaborators/team-operations.ts"
import { presentRepositories } from "../../features/code/repositories/present.ts"
import { listRepositories, ownedBy } from "../../features/code/repositories/search-store.ts"
import { withOwners } from "../../features/code/repositories/store.ts"
import { findMembers } from "../../features/people/organizations/store.ts"
import { teamInvitationOperations } from "../../features/people/teams/invitation-operations.ts"
import { findTeamInvitations, type TeamInvitation } from "../../features/people/teams/invitations-store.ts"
import { teamMemberOperations } from "../../features/people/teams/member-operations.ts"
import { teamOperations } from "../../features/people/teams/operations.ts"
import { presentTeams } from "../../features/people/teams/present.ts"
import type { Team as TeamRecord } from "../../features/people/teams/records.ts"
import { countTeamMembers, findTeamByName, findTeamMembers, findTeamRepositories, findTeams } from "../../features/people/teams/store.ts"
import { presentUser } from "../../features/people/users/present.ts"
import { path } from "../../web/address.ts"
import { choices, empty, pager } from "../../web/components.ts"
import { type Field, formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { problem } from "../../web/problem.ts"
import { time } from "../../web/time.ts"
import { organizationPage } from "../parts/account/frame.ts"
import { accountRows } from "../parts/account/list-view.ts"
import type { InOrganization } from "../parts/account/shared.ts"
import { repositoryRows } from "../parts/repositories/list-view.ts"

/** The teams of an organisation: what they may do, who is in them, and in which repositories that counts. */

/** Names that a field offers. */
const OFFERED = { number: 1, limit: 100, offset: 0 } as const

const list: Page = page({
  id: "organization.teams",
  address: "GET /org/{org}/teams",
  access: onOrganizationAsMember,
  answer: async (call) => {
    const { services, db, actor, organization, role, page: rows, reader } = call
    const { rows: found, total } = await findTeams(db, organization.id, actor, role, { text: "", inDescriptions: false }, rows)
    const teams = await presentTeams(db, services.site, found, { withOrganization: false })
    return organizationPage(call, presentUser(services.site, organization, actor), {
      tab: "teams",
      title: "Teams",
      unlisted: true,
      body: html`
        ${
          role.isOwner &&
          html`
            <p class="bar">
              <a class="button primary end" href="${path("org", organization.name, "teams", "new")}">
                ${icon("plus")}New team
              </a>
            </p>
          `
        }
        ${
          teams.length > 0
            ? html`<ul class="rows">${teams.map((team) => teamRow(organization.name, team))}</ul>`
            : empty("organization", "No team that you may see", "Teams give their members rights on the organization’s repositories.")
        }
        ${pager(reader.url, rows, total)}
      `,
    })
  },
})

// --- one team --------------------------------------------------------------------------------------------------------------------

const people: Page = page({
  id: "organization.team",
  address: "GET /org/{org}/teams/{team}",
  access: onOrganizationAsMember,
  answer: async (call) => {
    const { services, db, actor, organization, role, page: rows, reader, draft } = call
    const team = await locateTeam(call, call.path.team)
    const total = (await countTeamMembers.first(db, { teamId: team.id }))?.total ?? 0
    const members = await findTeamMembers(db, { teamId: team.id, limit: rows.limit, offset: rows.offset })
    const records = members.map((member) => presentUser(services.site, member, actor))
    const invitations = role.isOwner ? await findTeamInvitations(db, { teamId: team.id, now: services.now() }) : []
    const offered = role.isOwner ? (await findMembers(db, organization, actor, "all", OFFERED)).rows : []
    return teamPage(call, team, "members", (record) => [
      records.length > 0
        ? accountRows(
            records,
            role.isOwner
              ? ({ login }) =>
                  formButton(removeMember, { ...call.path, username: login }, html`Remove<span class="hidden-text"> ${login}</span>`)
              : undefined,
          )
        : empty("people", "Nobody is in this team", "Owners add people to it."),
      pager(reader.url, rows, total),
      role.isOwner &&
        html`
          <section class="stack">
            <h3>Add a member</h3>
            ${formView(addMember, {
              path: call.path,
              draft,
              submit: "Add",
              fields: [
                {
                  kind: "line",
                  name: "username",
                  label: "Name",
                  required: true,
                  maxlength: 40,
                  options: offered.map(({ name }) => name),
                  hint: "Joining a first team makes them a member of the organization.",
                },
              ],
            })}
          </section>
        `,
      role.isOwner && invited(call, invitations),
      rightsOf(record),
    ])
  },
})

/** Who was invited by mail, and a form to invite somebody. */
const invited = (
  {
    services,
    path: at,
    draft,
  }: Pick<InOrganization, "services"> & {
    readonly path: { readonly org: string; readonly team: string }
    readonly draft: Draft | undefined
  },
  rows: readonly (TeamInvitation & { readonly inviter: string })[],
): Html => {
  const now = services.now()
  return html`
    <section class="stack" id="invitations">
      <h3>Invite by mail</h3>
      ${
        rows.length > 0 &&
        html`
          <ul class="rows">
            ${rows.map(
              (row) =>
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
                      ${formButton(inviteAgain, at, html`Send again<span class="hidden-text"> to ${row.lower_email}</span>`, {
                        email: row.lower_email,
                      })}
                      ${formButton(
                        withdraw,
                        { ...at, invitation_id: String(row.id) },
                        html`Withdraw<span class="hidden-text"> the invitation of ${row.lower_email}</span>`,
                      )}
                    </div>
                  </li>
                `,
            )}
          </ul>
        `
      }
      ${
        services.config.mail.host === ""
          ? html`<p class="muted">This site sends no mail, so nobody can be invited by it.</p>`
          : formView(invite, {
              path: at,
              draft,
              submit: "Invite",
              look: "plain",
              fields: [
                {
                  kind: "line",
                  name: "email",
                  label: "E-mail address",
                  type: "email",
                  required: true,
                  maxlength: 254,
                  hint: "They get a link to join the team with any account on this site.",
                },
              ],
            })
      }
    </section>
  `
}

const repositories: Page = page({
  id: "organization.teamRepositories",
  address: "GET /org/{org}/teams/{team}/repositories",
  access: onOrganizationAsMember,
  answer: async (call) => {
    const { services, db, actor, organization, role, page: rows, reader, draft } = call
    const team = await locateTeam(call, call.path.team)
    const found = await findTeamRepositories(db, team.id, actor, rows)
    const records = await presentRepositories(db, services.site, actor, await withOwners(db, found.rows))
    const mayChange = role.isOwner && team.includes_all_repositories === 0
    const order = { by: "alpha", direction: "asc" } as const
    const offered = mayChange ? (await listRepositories(db, actor, { where: [ownedBy(organization.id)], order }, OFFERED)).rows : []
    return teamPage(call, team, "repositories", () => [
      records.length > 0
        ? html`
          ${repositoryRows(records)}
          ${
            mayChange &&
            html`
              <section class="stack">
                <h3>Take one away</h3>
                <ul class="plain stack tight">
                  ${records.map(
                    ({ name }) =>
                      html`
                        <li class="bar">
                          ${icon("repo")}<bdi>${name}</bdi> ${formButton(
                            removeRepository,
                            { ...call.path, repo: name },
                            html`Remove<span class="hidden-text"> ${name}</span>`,
                          )}
                        </li>
                      `,
                  )}
                </ul>
              </section>
            `
          }
        `
        : empty("repo", "This team has no repository", "Owners give it repositories of the organization."),
      pager(reader.url, rows, found.total),
      team.includes_all_repositories === 1 && html`<p class="muted">It has all repositories of the organization, also those to come.</p>`,
      mayChange &&
        html`
          <section class="stack">
            <h3>Add a repository</h3>
            ${formView(addRepository, {
              path: call.path,
              draft,
              submit: "Add",
              fields: [
                { kind: "line", name: "repo", label: "Name", required: true, maxlength: 100, options: offered.map(({ name }) => name) },
              ],
            })}
          </section>
        `,
    ])
  },
})

/** The values of a path that names a team, with its number: that of none where there is no such team, which then is missing. */
async function withTeam(values: Readonly<Record<string, string>>, { db }: Request): Promise<Readonly<Record<string, string>>> {
  const { org = "", team = "" } = values
  const isText = !`${org}${team}`.includes("\0")
  const organization = isText ? await findUserByName.first(db, { lowerName: org.toLowerCase() }) : undefined
  const found = organization && (await findTeamByName.first(db, { organizationId: organization.id, lowerName: team.toLowerCase() }))
  return { ...values, id: String(found?.id ?? 0) }
}

const addMember = form({
  id: "team.addMember",
  address: "POST /org/{org}/teams/{team}",
  does: named(teamMemberOperations, "orgAddTeamMember"),
  on: people,
  also: ["username"],
  picks: async (values, field, request) => ({ ...(await withTeam(values, request)), username: field("username").trim() }),
  missing: ["username", "there is nobody of that name"],
  done: "Added.",
})

const removeMember = form({
  id: "team.removeMember",
  address: "POST /org/{org}/teams/{team}/members/{username}/remove",
  does: named(teamMemberOperations, "orgRemoveTeamMember"),
  on: people,
  path: withTeam,
  done: "Member removed.",
})

const INVITING = { does: named(teamInvitationOperations, "orgInviteToTeam"), on: people, path: withTeam, takes: ["email"] } as const

const invite = form({
  ...INVITING,
  id: "team.invite",
  address: "POST /org/{org}/teams/{team}/invitations",
  done: "Invitation sent.",
})

const inviteAgain = form({
  ...INVITING,
  id: "team.inviteAgain",
  address: "POST /org/{org}/teams/{team}/invitations/again",
  done: "Invitation sent again. The earlier link no longer works.",
})

const withdraw = form({
  id: "team.withdrawInvitation",
  address: "POST /org/{org}/teams/{team}/invitations/{invitation_id}/withdraw",
  does: named(teamInvitationOperations, "orgWithdrawTeamInvitation"),
  on: people,
  path: withTeam,
  done: "Invitation cancelled.",
})

const addRepository = form({
  id: "team.addRepository",
  address: "POST /org/{org}/teams/{team}/repositories",
  does: named(teamRepositoryOperations, "orgAddTeamRepository"),
  on: repositories,
  also: ["repo"],
  picks: async (values, field, request) => ({ ...(await withTeam(values, request)), repo: field("repo").trim() }),
  missing: ["repo", "the organization has no repository of that name"],
  done: "Added.",
})

const removeRepository = form({
  id: "team.removeRepository",
  address: "POST /org/{org}/teams/{team}/repositories/{repo}/remove",
  does: named(teamRepositoryOperations, "orgRemoveTeamRepository"),
  on: repositories,
  path: withTeam,
  done: "Repository removed.",
})

// --- what a team may do ----------------------------------------------------------------------------------------------------------

/** What reading and writing of a part allow. */
const UNIT_WORDS: Readonly<Record<Unit, readonly [name: string, rights: string]>> = {
  "repo.code": ["Code", "Reading: see files, and clone. Writing: push, and make branches and tags."],
  "repo.issues": ["Issues", "Reading: see, open and comment. Writing: labels, milestones, assignees, close."],
  "repo.pulls": ["Pull requests", "Reading: see, open, comment and review. Writing: label, assign; with the code, merge."],
  "repo.releases": ["Releases", "Reading: see and download. Writing: publish, edit and delete."],
  "repo.wiki": ["Wiki", "Reading: see the pages. Writing: edit them."],
  "repo.ext_wiki": ["External wiki", "Reading: see the link to it."],
  "repo.ext_issues": ["External issues", "Reading: see the link to them."],
  "repo.projects": ["Projects", "Reading: see the boards. Writing: change them."],
  "repo.packages": ["Packages", "Reading: see and download. Writing: publish and delete."],
  "repo.actions": ["Actions", "Reading: see runs and logs. Writing: start, cancel and approve runs."],
}

const MODES = [
  ["none", "None"],
  ["read", "Read"],
  ["write", "Write"],
] as const

const fieldOf = (unit: Unit): string => `rights.${unit}`

/** The fields of what a team is like, with the rights that it has now. */
const fieldsOf = (units: Readonly<Record<string, string>>): readonly Field[] => [
  { kind: "line", name: "name", label: "Name", required: true, maxlength: 255, hint: "Mention it as @organization/name." },
  { kind: "line", name: "description", label: "Description", maxlength: 255 },
  {
    kind: "choice",
    name: "visibility",
    label: "Visibility",
    value: "private",
    options: [
      ["private", "Its own members, and owners"],
      ["limited", "Members of the organization"],
      ["public", "Whoever sees the organization"],
    ],
  },
  {
    kind: "choice",
    name: "permission",
    label: "Permissions",
    value: "none",
    options: [
      ["none", "What is chosen below, part by part"],
      ["admin", "Administer its repositories", "Everything in them, with their settings."],
    ],
  },
  {
    kind: "group",
    label: "Permission by unit",
    hint: "Public parts can be read by everybody; these permissions are granted on top.",
    fields: UNITS.map((unit): Field => {
      const [label, hint] = UNIT_WORDS[unit]
      const now = units[unit] ?? "none"
      const modes = isExternalUnit(unit) ? MODES.slice(0, 2) : MODES
      const options = modes.some(([mode]) => mode === now) || now === "owner" ? modes : [...modes, [now, "Admin"] as const]
      return { kind: "menu", name: fieldOf(unit), label, hint, value: now === "owner" ? "none" : now, options }
    }),
  },
  {
    kind: "group",
    label: "Repositories",
    fields: [
      { kind: "box", name: "includes_all_repositories", label: "All repositories of the organization", hint: "Existing and new ones." },
      {
        kind: "box",
        name: "can_create_org_repo",
        label: "Members can create repositories",
        hint: "They become administrators of what they create.",
      },
    ],
  },
]

const USUAL = {
  "repo.code": "read",
  "repo.issues": "read",
  "repo.pulls": "read",
  "repo.releases": "read",
  "repo.wiki": "read",
  "repo.projects": "read",
}

/** The body with the rights that were chosen part by part. */
const withUnits = (body: Readonly<Record<string, unknown>>, typed: Typed) => ({
  ...body,
  units_map: Object.fromEntries(UNITS.map((unit) => [unit, typed[fieldOf(unit)]?.[0] || "none"])),
})

const TAKES = ["name", "description", "visibility", "permission", "includes_all_repositories", "can_create_org_repo"] as const

const create: Page = page({
  id: "team.new",
  address: "GET /org/{org}/teams/new",
  access: onOrganizationAsOwner,
  answer: (call) =>
    organizationPage(call, presentUser(call.services.site, call.organization, call.actor), {
      tab: "teams",
      title: "New team",
      unlisted: true,
      body: html`
        <h2>New team</h2>
        ${formView(make, { path: call.path, draft: call.draft, submit: "Create team", fields: fieldsOf(USUAL) })}
      `,
    }),
})

const make = form({
  id: "team.make",
  address: "POST /org/{org}/teams/new",
  does: named(teamOperations, "orgCreateTeam"),
  on: create,
  takes: TAKES,
  also: UNITS.map(fieldOf),
  body: withUnits,
  done: "Team created. Add members to it.",
  to: ({ path: { org }, record }) => path("org", org, "teams", String(memberOf(record, "name"))),
  once: true,
})

const edit: Page = page({
  id: "team.edit",
  address: "GET /org/{org}/teams/{team}/edit",
  access: onOrganizationAsOwner,
  answer: async (call) => {
    const { organization, draft } = call
    const team = await locateTeam(call, call.path.team)
    const shown = { path: { org: organization.name, team: team.name }, draft, submit: "Save" } as const
    return teamPage(call, team, "edit", (record) =>
      team.mode === Mode.owner
        ? [
            draft?.form !== describe.id && problem(draft?.refusal),
            html`<p class="muted">The owners’ team keeps its name and rights.</p>`,
            formView(describe, { ...shown, record, fields: [{ kind: "line", name: "description", label: "Description", maxlength: 255 }] }),
          ]
        : [
            formView(change, { ...shown, record, fields: fieldsOf(record.permission === "admin" ? USUAL : record.units_map) }),
            html`<h3 id="danger">Danger zone</h3>`,
            formView(remove, {
              ...shown,
              look: "danger",
              confirm: team.name,
              submit: "Delete team",
              fields: [
                { kind: "content", content: html`<p>Its members lose its rights. Who is in no other team leaves the organization.</p>` },
              ],
            }),
          ],
    )
  },
})

const toTeam = ({
  path: { org, team },
  record,
}: {
  readonly path: { readonly org: string; readonly team: string }
  readonly record: unknown
}) => path("org", org, "teams", String(memberOf(record, "name") ?? team))

const change = form({
  id: "team.change",
  address: "POST /org/{org}/teams/{team}/edit",
  does: named(teamOperations, "orgEditTeam"),
  on: edit,
  path: withTeam,
  reads: named(teamOperations, "orgGetTeam"),
  guards: ["name", "description"],
  takes: TAKES,
  also: UNITS.map(fieldOf),
  body: withUnits,
  done: "Saved.",
  to: toTeam,
})

const describe = form({
  id: "team.describe",
  address: "POST /org/{org}/teams/{team}/description",
  does: named(teamOperations, "orgEditTeam"),
  on: edit,
  path: withTeam,
  reads: named(teamOperations, "orgGetTeam"),
  guards: ["description"],
  takes: ["description"],
  done: "Saved.",
  to: toTeam,
})

const remove = form({
  id: "team.delete",
  address: "POST /org/{org}/teams/{team}/delete",
  does: named(teamOperations, "orgDeleteTeam"),
  on: edit,
  path: withTeam,
  confirms: ({ team = "" }) => team,
  done: "Team deleted.",
  to: ({ path: { org } }) => path("org", org, "teams"),
})

export const teamPages: readonly Page[] = [
  list,
  create,
  make,
  people,
  addMember,
  removeMember,
  invite,
  inviteAgain,
  withdraw,
  repositories,
  addRepository,
  removeRepository,
  edit,
  change,
  describe,
  remove,
]

/** The organisation's team of that name, in any letter case; one that the reader may not see is missing. */
async function locateTeam({ db, actor, organization, role }: InOrganization, name: string): Promise<Team> {
  const team = name.includes("\0")
    ? undefined
    : await findTeamByName.first(db, { organizationId: organization.id, lowerName: name.toLowerCase() })
  if (!team) throw refuse.notFound()
  const isMember = (await findTeamMember.first(db, { teamId: team.id, userId: actor.user.id })) !== undefined
  if (!teamReadable(actor, team, organization, role, isMember)) throw refuse.notFound()
  return team
}

async function teamPage(
  call: InOrganization & { readonly draft: Draft | undefined },
  team: Team,
  part: "members" | "repositories" | "edit",
  body: (record: TeamRecord) => Content,
): Promise<Shown> {
  const { services, db, actor, organization, role, draft } = call
  const [record] = await presentTeams(db, services.site, [team], { withOrganization: false })
  if (!record) throw refuse.notFound()
  const at = path("org", organization.name, "teams", team.name)
  return organizationPage(call, presentUser(services.site, organization, actor), {
    tab: "teams",
    title: { members: team.name, repositories: `Repositories · ${team.name}`, edit: `Edit · ${team.name}` }[part],
    unlisted: true,
    body: html`
      <div class="bar">
        <h2><bdi>${team.name}</bdi></h2>
        ${choices("Team", [
          { href: at, text: "People", icon: "people", current: part === "members" },
          { href: `${at}/repositories`, text: "Repositories", icon: "repo", current: part === "repositories" },
          ...(role.isOwner ? [{ href: `${at}/edit`, text: "Edit", icon: "pencil" as const, current: part === "edit" }] : []),
        ])}
      </div>
      ${ofRows(draft)}
      ${team.description !== "" && html`<p class="break" dir="auto">${team.description}</p>`}
      ${body(record)}
    `,
  })
}

/** What is wrong with what a button of a row asked for: rows have no place for it. */
const ofRows = (draft: Draft | undefined): Content =>
  draft && [removeMember.id, removeRepository.id, inviteAgain.id, withdraw.id].includes(draft.form) && problem(draft.refusal)

const teamRow = (organization: string, team: TeamRecord): Html =>
  html`
    <li>
      ${icon("people")}
      <div class="main">
        <h2 class="title"><a href="${path("org", organization, "teams", team.name)}"><bdi>${team.name}</bdi></a></h2>
        ${team.description !== "" && html`<p class="break" dir="auto">${team.description}</p>`}
        <p class="meta">
          <span>${RIGHTS[team.permission] ?? team.permission}</span>
          ${team.includes_all_repositories && html`<span>All repositories</span>`}
          ${team.can_create_org_repo && html`<span>May create repositories</span>`}
        </p>
      </div>
    </li>
  `

const RIGHTS: Readonly<Record<string, string>> = {
  none: "By unit",
  read: "May read",
  write: "May write",
  admin: "Administers",
  owner: "Owns the organization",
}

/** What the team may do in each part of its repositories. */
const rightsOf = (team: TeamRecord): Html =>
  html`
    <section class="stack">
      <h3>Rights</h3>
      <p class="small">
        ${team.includes_all_repositories ? "In all repositories of the organization." : "In the repositories that the team has."}
        ${team.can_create_org_repo && " Members may create repositories."}
      </p>
      <div class="scrolls">
        <table class="data">
          <thead>
            <tr>
              <th>Part</th>
              <th>Right</th>
            </tr>
          </thead>
          <tbody>
            ${UNITS.map(
              (unit) => html`
                <tr>
                  <th scope="row">${UNIT_WORDS[unit][0]}</th>
                  <td>${team.units_map[unit] ?? modeName(Mode.none)}</td>
                </tr>
              `,
            )}
          </tbody>
        </table>
      </div>
    </section>
  `
