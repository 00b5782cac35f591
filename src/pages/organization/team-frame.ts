import { findTeamMember, findUserByName } from "../../access/store.ts"
import { type Team, teamVisible } from "../../access/visibility.ts"
import { refuse } from "../../core/errors.ts"
import { type Content, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import type { Request } from "../../core/operation.ts"
import type { Draft, Page, Shown } from "../../core/page.ts"
import { presentTeams } from "../../features/people/teams/present.ts"
import type { Team as TeamRecord } from "../../features/people/teams/records.ts"
import { findTeamByName } from "../../features/people/teams/store.ts"
import { path } from "../../web/address.ts"
import { choices } from "../../web/components.ts"
import { problem } from "../../web/problem.ts"
import { organizationPage } from "../parts/account/frame.ts"
import type { InOrganization } from "../parts/account/shared.ts"

/** What the pages of a team have in common. */

/** Names that a field offers. */
export const OFFERED = { number: 1, limit: 100, offset: 0 } as const

/** The values of a path that names a team, with its number: that of none where there is no such team, which then is missing. */
export async function withTeam(values: Readonly<Record<string, string>>, { db }: Request): Promise<Readonly<Record<string, string>>> {
  const { org = "", team = "" } = values
  const organization = await findUserByName.first(db, { lowerName: org.toLowerCase() })
  const found = organization && (await findTeamByName.first(db, { organizationId: organization.id, lowerName: team.toLowerCase() }))
  return { ...values, id: String(found?.id ?? 0) }
}

/** The organisation's team of that name, in any letter case; one that the reader may not see is missing. */
export async function locateTeam({ db, actor, organization, role }: InOrganization, name: string): Promise<Team> {
  const team = await findTeamByName.first(db, { organizationId: organization.id, lowerName: name.toLowerCase() })
  if (!team) throw refuse.notFound()
  const isMember = (await findTeamMember.first(db, { teamId: team.id, userId: actor.user.id })) !== undefined
  if (!teamVisible(actor, team, organization, role, isMember)) throw refuse.notFound()
  return team
}

/** A page of a team. What is wrong with what one of the `buttons` of its rows asked for stands above: rows have no place for it. */
export async function teamPage(
  call: InOrganization & { readonly draft: Draft | undefined },
  team: Team,
  part: "members" | "repositories" | "edit",
  body: (record: TeamRecord) => Content,
  buttons: readonly Pick<Page, "id">[] = [],
): Promise<Shown> {
  const { services, db, organization, role, draft } = call
  const [record] = await presentTeams(db, services.site, [team], { withOrganization: false })
  if (!record) throw refuse.notFound()
  const at = path("org", organization.name, "teams", team.name)
  return organizationPage(call, organization, {
    tab: "teams",
    title: {
      members: team.name,
      repositories: t("Repositories · {name}", { name: team.name }),
      edit: t("Edit · {name}", { name: team.name }),
    }[part],
    unlisted: true,
    body: html`
      <div class="bar">
        <h2><bdi>${team.name}</bdi></h2>
        ${choices(t("Team"), [
          { href: at, text: t("People"), icon: "people", current: part === "members" },
          { href: `${at}/repositories`, text: t("Repositories"), icon: "repo", current: part === "repositories" },
          ...(role.isOwner ? [{ href: `${at}/edit`, text: t("Edit"), icon: "pencil" as const, current: part === "edit" }] : []),
        ])}
      </div>
      ${draft && buttons.some(({ id }) => id === draft.form) && problem(draft.refusal)}
      ${team.description !== "" && html`<p class="break" dir="auto">${team.description}</p>`}
      ${body(record)}
    `,
  })
}
