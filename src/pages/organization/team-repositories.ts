import type { Owned } from "../../access/permission.ts"
import { onOrganizationAsMember } from "../../access/policies/organizations.ts"
import { form } from "../../core/forms/form.ts"
import { type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { findTeamRepositories } from "../../features/code/collaborators/store.ts"
import { teamRepositoryOperations } from "../../features/code/collaborators/team-operations.ts"
import { listRepositories, ownedBy } from "../../features/code/repositories/search-store.ts"
import { withOwners } from "../../features/code/repositories/store.ts"
import { empty, pager } from "../../web/components.ts"
import { formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { repositoryRows } from "../parts/repositories/list-view.ts"

import { locateTeam, OFFERED, teamPage, withTeam } from "./team-frame.ts"

/** The repositories of a team. */

const repositories: Page = page({
  id: "organization.teamRepositories",
  address: "GET /org/{org}/teams/{team}/repositories",
  access: onOrganizationAsMember,
  answer: async (call) => {
    const { db, actor, organization, role, page: rows, reader, draft } = call
    const team = await locateTeam(call, call.path.team)
    const found = await findTeamRepositories(db, team.id, actor, rows)
    const listed = await withOwners(db, found.rows)
    const mayChange = role.isOwner && team.includes_all_repositories === 0
    const order = { by: "alpha", direction: "asc" } as const
    const offered = mayChange ? (await listRepositories(db, actor, { where: [ownedBy(organization.id)], order }, OFFERED)).rows : []
    const body = [
      rowsOfTeam(listed, mayChange && call.path),
      pager(reader.url, rows, found.total),
      team.includes_all_repositories === 1 &&
        html`<p class="muted">This team has all current and future repositories of the organization.</p>`,
      mayChange &&
        html`
          <section class="stack">
            <h3>Add a repository</h3>
            ${formView(addRepository, {
              path: call.path,
              draft,
              submit: t("Add"),
              fields: [
                { kind: "line", name: "repo", label: t("Name"), required: true, maxlength: 100, options: offered.map(({ name }) => name) },
              ],
            })}
          </section>
        `,
    ]
    return teamPage(call, team, "repositories", () => body, [removeRepository])
  },
})

/** The repositories, with what takes one of them away where there is the path of the team for it. */
const rowsOfTeam = (listed: readonly Owned[], at: Readonly<Record<"org" | "team", string>> | false): Html =>
  listed.length === 0
    ? empty("repo", t("No repositories yet"), t("Owners can add repositories."))
    : html`
      ${repositoryRows(listed)}
      ${
        at &&
        html`
          <section class="stack">
            <h3>Remove a repository</h3>
            <ul class="plain stack tight">
              ${listed.map(
                ({ repository: { name } }) =>
                  html`
                    <li class="bar">
                      ${icon("repo")}<bdi>${name}</bdi> ${formButton(
                        removeRepository,
                        { ...at, repo: name },
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

const addRepository = form({
  id: "team.addRepository",
  address: "POST /org/{org}/teams/{team}/repositories",
  does: named(teamRepositoryOperations, "orgAddTeamRepository"),
  on: repositories,
  also: ["repo"],
  picks: async (values, field, request) => ({ ...(await withTeam(values, request)), repo: field("repo").trim() }),
  missing: ["repo", t("the organization has no such repository")],
  done: t("Added."),
})

const removeRepository = form({
  id: "team.removeRepository",
  address: "POST /org/{org}/teams/{team}/repositories/{repo}/remove",
  does: named(teamRepositoryOperations, "orgRemoveTeamRepository"),
  on: repositories,
  path: withTeam,
  done: t("Repository removed."),
})

export const teamRepositoryPages: readonly Page[] = [repositories, addRepository, removeRepository]
