import { modeName } from "../../../access/modes.ts"
import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, type Page, page } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { collaboratorOperations } from "../../../features/code/collaborators/operations.ts"
import { findCollaborators } from "../../../features/code/collaborators/store.ts"
import { changeableTeams, type OnOwnedRepository, repositoryTeamOperations } from "../../../features/code/collaborators/team-operations.ts"
import { presentTeams } from "../../../features/people/teams/present.ts"
import type { Team } from "../../../features/people/teams/records.ts"
import { path } from "../../../web/address.ts"
import { empty, notice, pager, personWithAvatar } from "../../../web/components.ts"
import { formButton, formView, type Option } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { modeWords } from "../../organization/team-edit.ts"
import { whoMayForm } from "../../parts/explain.ts"
import { settingsPage } from "./frame.ts"

const RIGHTS: readonly Option[] = [
  ["read", t("Read|right")],
  ["write", t("Write|right")],
  ["admin", t("Admin")],
]

const collaborators: Page = page({
  id: "settings.collaborators",
  address: "GET /{owner}/{repo}/settings/collaboration",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, actor, owner, draft, page: rows, reader } = call
    const { rows: people, total } = await findCollaborators(db, actor, call, rows)
    return settingsPage(call, {
      part: "collaborators",
      title: t("Collaborators"),
      body: html`
        <h1>Collaborators</h1>
        ${formView(add, {
          path: call.path,
          draft,
          submit: t("Add"),
          fields: [
            { kind: "line", name: "collaborator", label: t("User name"), required: true, maxlength: 255 },
            { kind: "menu", name: "permission", label: t("Permission"), options: RIGHTS, value: "write" },
          ],
        })}
        ${
          total === 0
            ? empty("people", t("No collaborators yet"), t("Collaborators can see the repository, even if it is private."))
            : html`
              <ul class="rows">
                ${people.map((user) => {
                  const to = { ...call.path, collaborator: user.name }
                  return html`
                    <li>
                      <span class="main">${personWithAvatar(user)}</span>
                      ${formView(change, {
                        path: to,
                        draft,
                        key: user.id,
                        name: "inline row",
                        look: "small",
                        submit: t("Change|action"),
                        fields: [
                          {
                            kind: "menu",
                            name: "permission",
                            label: t("Permission of {name}", { name: user.name }),
                            options: RIGHTS,
                            value: modeName(user.granted),
                          },
                        ],
                      })}
                      ${formButton(remove, to, html`Remove<span class="hidden-text"> ${user.name}</span>`, {}, draft)}
                    </li>
                  `
                })}
              </ul>
              ${pager(reader.url, rows, total)}
            `
        }
        ${owner.kind === "organization" && (await teamsView(call))}
        ${whoMayForm({ repository: call })}
      `,
    })
  },
})

interface Call extends OnOwnedRepository {
  readonly services: Services
  readonly db: Parameters<typeof changeableTeams>[0]
  readonly path: Readonly<Record<string, string>>
  readonly draft: Draft | undefined
}

async function teamsView(call: Call): Promise<Html> {
  const { services, db, owner, draft } = call
  const { attached: rows, others, mayChange } = await changeableTeams(db, call)
  const attached = await presentTeams(db, services.site, rows, { withOrganization: false })
  return html`
    <h2 id="teams">Teams</h2>
    ${
      attached.length === 0
        ? html`<p class="muted">No team of <bdi>${owner.name}</bdi> has this repository.</p>`
        : html`
          <ul class="rows">
            ${attached.map(
              (team) =>
                html`
                  <li>
                    <span class="main">
                      <span>
                        ${icon("people")} <a class="strong" href="${path("org", owner.name, "teams", team.name)}">
                          <bdi>${team.name}</bdi>
                        </a>
                      </span>
                      <span class="muted small">
                        ${rightsOf(team)}${team.includes_all_repositories && t(", in all repositories")}
                      </span>
                    </span>
                    ${
                      mayChange &&
                      !team.includes_all_repositories &&
                      formButton(
                        removeTeam,
                        { ...call.path, team: team.name },
                        html`Remove<span class="hidden-text"> ${team.name}</span>`,
                        {},
                        draft,
                      )
                    }
                  </li>
                `,
            )}
          </ul>
        `
    }
    ${
      mayChange
        ? (others.length > 0 || draft?.form === addTeam.id) &&
          formView(addTeam, {
            path: call.path,
            draft,
            submit: t("Add team"),
            look: "plain",
            fields: [{ kind: "menu", name: "team", label: t("Team"), options: others.map(({ name }) => [name, name]) }],
          })
        : notice("info", t("Only owners of the organization can add and remove teams."))
    }
  `
}

/** What a team may do here; below an administrator's rights it is said for each part, of which the code is the first. */
const rightsOf = ({ permission, units_map }: Team): Text =>
  permission === "owner"
    ? t("Owners")
    : permission === "admin"
      ? t("Admin")
      : t("Code: {value}", { value: modeWords(units_map["repo.code"]) })

const add = form({
  id: "settings.addCollaborator",
  address: "POST /{owner}/{repo}/settings/collaboration",
  does: named(collaboratorOperations, "repoAddCollaborator"),
  on: collaborators,
  takes: ["permission"],
  also: ["collaborator"],
  picks: (names, field) => ({ ...names, collaborator: field("collaborator").trim() }),
  done: t("Collaborator added."),
})

const change = form({
  id: "settings.changeCollaborator",
  address: "POST /{owner}/{repo}/settings/collaboration/{collaborator}",
  does: named(collaboratorOperations, "repoAddCollaborator"),
  on: collaborators,
  takes: ["permission"],
  done: t("Saved."),
})

const remove = form({
  id: "settings.removeCollaborator",
  address: "POST /{owner}/{repo}/settings/collaboration/{collaborator}/remove",
  does: named(collaboratorOperations, "repoDeleteCollaborator"),
  on: collaborators,
  done: t("Collaborator removed."),
})

const addTeam = form({
  id: "settings.addTeam",
  address: "POST /{owner}/{repo}/settings/teams",
  does: named(repositoryTeamOperations, "repoAddTeam"),
  on: collaborators,
  also: ["team"],
  picks: (names, field) => ({ ...names, team: field("team") }),
  done: t("Team added."),
})

const removeTeam = form({
  id: "settings.removeTeam",
  address: "POST /{owner}/{repo}/settings/teams/{team}/remove",
  does: named(repositoryTeamOperations, "repoDeleteTeam"),
  on: collaborators,
  done: t("Team removed."),
})

export const collaboratorPages: readonly Page[] = [collaborators, add, change, remove, addTeam, removeTeam]
