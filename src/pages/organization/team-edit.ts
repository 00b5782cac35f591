import { isExternalUnit, Mode, UNITS, type Unit } from "../../access/modes.ts"
import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { memberOf } from "../../core/check.ts"
import { form, type Typed } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { teamOperations } from "../../features/people/teams/operations.ts"
import { path } from "../../web/address.ts"
import { type Field, formView } from "../../web/form.ts"
import { problem } from "../../web/problem.ts"
import { organizationPage } from "../parts/account/frame.ts"

import { locateTeam, teamPage, withTeam } from "./team-frame.ts"
/** What a team is like and may do. */

/** What reading and writing of a part allow. */
export const UNIT_WORDS: Readonly<Record<Unit, readonly [name: Text, rights: Text]>> = {
  "repo.code": [t("Code"), t("Read: view files, and clone. Write: push, create branches and tags.")],
  "repo.issues": [t("Issues"), t("Read: view, open and comment. Write: label, assign, set milestones, close.")],
  "repo.pulls": [
    t("Pull requests"),
    t("Read: view, open, comment and review. Write: label and assign; with write access to the code, merge."),
  ],
  "repo.releases": [t("Releases"), t("Read: view and download. Write: publish, edit and delete.")],
  "repo.wiki": [t("Wiki"), t("Read: view pages. Write: edit pages.")],
  "repo.ext_wiki": [t("External wiki"), t("Read: see the link.")],
  "repo.ext_issues": [t("External issues"), t("Read: see the link.")],
  "repo.projects": [t("Projects"), t("Read: view boards. Write: change boards.")],
  "repo.packages": [t("Packages"), t("Read: view and download. Write: publish and delete.")],
  "repo.actions": [t("Actions"), t("Read: view runs and logs. Write: start, cancel and approve runs.")],
}

const MODE_WORDS = new Map<string, Text>([
  ["none", t("None")],
  ["read", t("Read|right")],
  ["write", t("Write|right")],
  ["admin", t("Admin")],
  ["owner", t("Owner")],
])
/** What a right is called. */
export const modeWords = (mode = "none"): Text => MODE_WORDS.get(mode) ?? mode
const MODES = [...MODE_WORDS].slice(0, 3)

const fieldOf = (unit: Unit): string => `rights.${unit}`

/** The fields of what a team is like, with the rights that it has now. */
const fieldsOf = (units: Readonly<Record<string, string>>): readonly Field[] => [
  { kind: "line", name: "name", label: t("Name"), required: true, maxlength: 255, hint: t("Mention it as @organization/name.") },
  { kind: "line", name: "description", label: t("Description"), maxlength: 255 },
  {
    kind: "choice",
    name: "visibility",
    label: t("Visibility"),
    value: "private",
    options: [
      ["private", t("Its own members, and owners")],
      ["limited", t("Members of the organization")],
      ["public", t("Everyone who can see the organization")],
    ],
  },
  {
    kind: "choice",
    name: "permission",
    label: t("Permissions"),
    value: "none",
    options: [
      ["none", t("Permission for each unit below")],
      ["admin", t("Administrator access"), t("Full access to its repositories, including settings.")],
    ],
  },
  {
    kind: "group",
    label: t("Permission by unit"),
    hint: t("Public repositories can be read by everyone; these permissions are granted on top."),
    fields: UNITS.map((unit): Field => {
      const [label, hint] = UNIT_WORDS[unit]
      const now = units[unit] ?? "none"
      const modes = isExternalUnit(unit) ? MODES.slice(0, 2) : MODES
      const options = modes.some(([mode]) => mode === now) || now === "owner" ? modes : [...modes, [now, t("Admin")] as const]
      return { kind: "menu", name: fieldOf(unit), label, hint, value: now === "owner" ? "none" : now, options }
    }),
  },
  {
    kind: "group",
    label: t("Repositories"),
    fields: [
      {
        kind: "box",
        name: "includes_all_repositories",
        label: t("All repositories of the organization"),
        hint: t("Existing and new ones."),
      },
      {
        kind: "box",
        name: "can_create_org_repo",
        label: t("Members can create repositories"),
        hint: t("Creators become administrators of the repository."),
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
    organizationPage(call, call.organization, {
      tab: "teams",
      title: t("New team"),
      unlisted: true,
      body: html`
        <h2>New team</h2>
        ${formView(make, { path: call.path, draft: call.draft, submit: t("Create team"), fields: fieldsOf(USUAL) })}
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
  done: t("Team created. Add members to it."),
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
    const shown = { path: { org: organization.name, team: team.name }, draft, submit: t("Save") } as const
    return teamPage(call, team, "edit", (record) =>
      team.mode === Mode.owner
        ? [
            draft?.form !== describe.id && problem(draft?.refusal),
            html`<p class="muted">The name and permissions of the owners team can’t be changed.</p>`,
            formView(describe, {
              ...shown,
              record,
              fields: [{ kind: "line", name: "description", label: t("Description"), maxlength: 255 }],
            }),
          ]
        : [
            formView(change, { ...shown, record, fields: fieldsOf(record.permission === "admin" ? USUAL : record.units_map) }),
            html`<h3 id="danger">Danger zone</h3>`,
            formView(remove, {
              ...shown,
              look: "danger",
              confirm: team.name,
              submit: t("Delete team"),
              fields: [
                {
                  kind: "content",
                  content: html`<p>Its members lose the access that it gives. Members of no other team leave the organization.</p>`,
                },
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
  done: t("Saved."),
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
  done: t("Saved."),
  to: toTeam,
})

const remove = form({
  id: "team.delete",
  address: "POST /org/{org}/teams/{team}/delete",
  does: named(teamOperations, "orgDeleteTeam"),
  on: edit,
  path: withTeam,
  confirms: ({ team = "" }) => team,
  done: t("Team deleted."),
  to: ({ path: { org } }) => path("org", org, "teams"),
})

export const teamEditPages: readonly Page[] = [create, make, edit, change, describe, remove]
