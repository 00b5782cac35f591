import { locateKnown } from "../../../access/policies/people.ts"
import { onTeam, onTeamAsOwner } from "../../../access/policies/teams.ts"
import { findTeamMember } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { presentUser } from "../users/present.ts"
import { User } from "../users/records.ts"
import { addTeamMember, removeTeamMember } from "./membership.ts"
import { countTeamMembers, findTeamMembers } from "./store.ts"

const shared = { tag: "organization", scope: ["organization"] } as const

export const teamMemberOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgListTeamMembers",
    route: "GET /teams/{id}/members",
    summary: "List a team's members",
    description: "By full name. For callers who may see the team.",
    access: onTeam,
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, team, page }) => {
      const total = (await countTeamMembers.first(db, { teamId: team.id }))?.total ?? 0
      const members = await findTeamMembers(db, { teamId: team.id, limit: page.limit, offset: page.offset })
      return listed(
        members.map((member) => presentUser(services.site, member, actor)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "orgListTeamMember",
    route: "GET /teams/{id}/members/{username}",
    summary: "Get a member of a team",
    access: onTeam,
    answers: { 200: User },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, organization, team, path }) => {
      const user = await locateKnown(db, actor, path.username, "username", organization)
      if (!(await findTeamMember.first(db, { teamId: team.id, userId: user.id }))) throw refuse.notFound()
      return ok(presentUser(services.site, user, actor))
    },
  }),

  operation({
    ...shared,
    id: "orgAddTeamMember",
    route: "PUT /teams/{id}/members/{username}",
    summary: "Add a member to a team",
    description: "And with it to the organization. Adding a member again changes nothing.",
    access: onTeamAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, organization, team, path }) => {
      const user = await locateKnown(db, actor, path.username, "username", organization)
      await services.database.write((tx) => addTeamMember(tx, actor.user, team.id, user))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgRemoveTeamMember",
    route: "DELETE /teams/{id}/members/{username}",
    summary: "Remove a member from a team",
    description: "And from the organization with the last team. The last owner can't be removed.",
    access: onTeamAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, organization, team, path }) => {
      const user = await locateKnown(db, actor, path.username, "username", organization)
      await services.database.write((tx) => removeTeamMember(tx, actor.user, team.id, user.id))
      return noContent()
    },
  }),
]
