import { onOrganizationAsOwner } from "../../../access/policies/organizations.ts"
import { locateKnown } from "../../../access/policies/people.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { unblock } from "../blocks/rules.ts"
import { countBlocked, findBlocked, findBlockOf } from "../blocks/store.ts"
import { presentUser } from "../users/present.ts"
import { User } from "../users/records.ts"
import { blockForOrganization } from "./rules.ts"

const shared = { tag: "organization", scope: ["organization"], access: onOrganizationAsOwner, publicOnly: "refused" } as const

export const organizationBlockOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "organizationListBlocks",
    route: "GET /orgs/{org}/blocks",
    summary: "List the users whom an organization has blocked",
    paged: true,
    answers: { 200: Type.Array(User) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, organization, page }) => {
      const total = (await countBlocked.first(db, { blockerId: organization.id }))?.total ?? 0
      const people = await findBlocked(db, { blockerId: organization.id, limit: page.limit, offset: page.offset })
      return listed(
        people.map((person) => presentUser(services.site, person, actor)),
        total,
      )
    },
  }),

  operation({
    ...shared,
    id: "organizationCheckUserBlock",
    route: "GET /orgs/{org}/blocks/{username}",
    summary: "Check whether an organization has blocked a user",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, actor, organization, path }) => {
      const user = await locateKnown(db, actor, path.username, "username", organization)
      if (!(await findBlockOf.first(db, { blockedId: user.id, blockerIds: [organization.id] }))) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "organizationBlockUser",
    route: "PUT /orgs/{org}/blocks/{username}",
    summary: "Block a user for an organization",
    description: "Ends stars, watches, collaborations and offered transfers between the two. Members can't be blocked.",
    query: { note: Type.Optional(Type.String({ maxLength: 255, description: "why, for the owners alone" })) },
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, organization, path, query }) => {
      const user = await locateKnown(db, actor, path.username, "username", organization)
      await services.database.write((tx) => blockForOrganization(tx, organization.id, user, query.note, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "organizationUnblockUser",
    route: "DELETE /orgs/{org}/blocks/{username}",
    summary: "Unblock a user for an organization",
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, organization, path }) => {
      const user = await locateKnown(db, actor, path.username, "username", organization)
      await services.database.write((tx) => unblock(tx, organization, user))
      return noContent()
    },
  }),
]
