import { onOrganizationAsOwner, onOrganizationSignedIn } from "../../../access/policies/organizations.ts"
import { signedIn } from "../../../access/policies/site.ts"
import { onTeam, onTeamAsOwner } from "../../../access/policies/teams.ts"
import type { Team as TeamRow } from "../../../access/visibility.ts"
import type { Handle } from "../../../core/database/database.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { createTeam, deleteTeam, editTeam } from "./lifecycle.ts"
import { presentTeams } from "./present.ts"
import { CreateTeamOption, EditTeamOption, Team, TeamSearchResults } from "./records.ts"
import { countTeamsOfUser, findTeams, findTeamsOfUser } from "./store.ts"

const shared = { tag: "organization", scope: ["organization"] } as const

async function presentOne(db: Handle, { site }: Services, team: TeamRow, withOrganization: boolean): Promise<Team> {
  const [record] = await presentTeams(db, site, [team], { withOrganization })
  if (!record) throw new TypeError("one team gives one record")
  return record
}

export const teamOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgListTeams",
    route: "GET /orgs/{org}/teams",
    summary: "List an organization's teams",
    description: "Owners see all of them, members those that are public, limited or their own, and others the public ones.",
    access: onOrganizationSignedIn,
    paged: true,
    answers: { 200: Type.Array(Team) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, organization, page }) => {
      const { rows, total } = await findTeams(db, organization.id, actor, { text: "", inDescriptions: false }, page)
      return listed(await presentTeams(db, services.site, rows, { withOrganization: false }), total)
    },
  }),

  operation({
    ...shared,
    id: "teamSearch",
    route: "GET /orgs/{org}/teams/search",
    summary: "Search an organization's teams",
    description: "Among the teams that the caller may see. Without q it finds all of them.",
    access: onOrganizationSignedIn,
    paged: true,
    query: {
      q: Type.Optional(Type.String({ description: "part of the name, in any letter case" })),
      include_desc: Type.Optional(Type.Boolean({ description: "look in descriptions too (default true)" })),
    },
    answers: { 200: TeamSearchResults },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, organization, page, query }) => {
      const search = { text: query.q ?? "", inDescriptions: query.include_desc ?? true }
      const { rows, total } = await findTeams(db, organization.id, actor, search, page)
      return listed({ data: await presentTeams(db, services.site, rows, { withOrganization: false }), ok: true }, total)
    },
  }),

  operation({
    ...shared,
    id: "orgCreateTeam",
    route: "POST /orgs/{org}/teams",
    summary: "Create a team",
    access: onOrganizationAsOwner,
    body: CreateTeamOption,
    answers: { 201: Team },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, me, organization, body }) => {
      const team = await services.database.write((tx) => createTeam(tx, me, organization, body, services.now()))
      return created(await presentOne(db, services, team, true))
    },
  }),

  operation({
    ...shared,
    id: "orgGetTeam",
    route: "GET /teams/{id}",
    summary: "Get a team",
    access: onTeam,
    answers: { 200: Team },
    refuses: ["notFound"],
    handle: async ({ db, services, team }) => ok(await presentOne(db, services, team, true)),
  }),

  operation({
    ...shared,
    id: "orgEditTeam",
    route: "PATCH /teams/{id}",
    summary: "Edit a team",
    description: "The owners' team keeps its name, visibility and rights.",
    access: onTeamAsOwner,
    body: EditTeamOption,
    answers: { 200: Team },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, me, team, body }) => {
      const edited = await services.database.write((tx) => editTeam(tx, me, team.id, body))
      return ok(await presentOne(db, services, edited, false))
    },
  }),

  operation({
    ...shared,
    id: "orgDeleteTeam",
    route: "DELETE /teams/{id}",
    summary: "Delete a team",
    description: "Members without another team leave the organization. The owners' team can't be deleted.",
    access: onTeamAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, team }) => {
      await services.database.write((tx) => deleteTeam(tx, me, team.id))
      return noContent()
    },
  }),

  operation({
    tag: "user",
    scope: ["user"],
    publicOnly: "refused",
    id: "userListTeams",
    route: "GET /user/teams",
    summary: "List the caller's teams",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(Team) },
    handle: async ({ db, services, me, page }) => {
      const total = (await countTeamsOfUser.first(db, { userId: me.id }))?.total ?? 0
      const teams = await findTeamsOfUser(db, { userId: me.id, limit: page.limit, offset: page.offset })
      return listed(await presentTeams(db, services.site, teams, { withOrganization: true }), total)
    },
  }),
]
