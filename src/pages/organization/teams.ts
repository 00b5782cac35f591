import { onOrganizationAsMember } from "../../access/policies/organizations.ts"
import { type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import { presentTeams } from "../../features/people/teams/present.ts"
import type { Team as TeamRecord } from "../../features/people/teams/records.ts"
import { findTeams } from "../../features/people/teams/store.ts"
import { path } from "../../web/address.ts"
import { empty, pager } from "../../web/components.ts"
import { icon } from "../../web/icon.ts"
import { organizationPage } from "../parts/account/frame.ts"
import { whoMayForm } from "../parts/explain.ts"
import { teamEditPages } from "./team-edit.ts"
import { teamMemberPages } from "./team-members.ts"
import { teamRepositoryPages } from "./team-repositories.ts"

/** The teams of an organisation: what they may do, who is in them, and in which repositories that counts. */

const list: Page = page({
  id: "organization.teams",
  address: "GET /org/{org}/teams",
  access: onOrganizationAsMember,
  answer: async (call) => {
    const { services, db, actor, organization, role, page: rows, reader } = call
    const { rows: found, total } = await findTeams(db, organization.id, actor, { text: "", inDescriptions: false }, rows)
    const teams = await presentTeams(db, services.site, found, { withOrganization: false })
    return organizationPage(call, organization, {
      tab: "teams",
      title: t("Teams"),
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
            : empty("organization", t("No teams"), t("Teams give their members access to the organization’s repositories."))
        }
        ${pager(reader.url, rows, total)}
        ${role.isOwner && whoMayForm({ organization })}
      `,
    })
  },
})

export const teamPages: readonly Page[] = [list, ...teamEditPages, ...teamMemberPages, ...teamRepositoryPages]

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

const RIGHTS: Readonly<Record<string, Text>> = {
  none: t("By unit"),
  read: t("May read"),
  write: t("May write"),
  admin: t("Administers"),
  owner: t("Owns the organization"),
}
