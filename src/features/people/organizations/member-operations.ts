import {
  onOrganization,
  onOrganizationAsMember,
  onOrganizationAsOwner,
  onOrganizationSignedIn,
} from "../../../access/policies/organizations.ts"
import { locateKnown } from "../../../access/policies/people.ts"
import { type Actor, isPublicOnly, type User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { listed, noContent, type Operation, operation, type Sent } from "../../../core/operation.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { presentUser } from "../users/present.ts"
import { User as UserRecord } from "../users/records.ts"
import { removeMember, showMembership } from "./rules.ts"
import { type Found, findMember, findMembers, shownTo } from "./store.ts"

const shared = { tag: "organization", scope: ["organization"] } as const

const presentPage = ({ site }: Services, { rows, total }: Found, viewer: Actor) =>
  listed(
    rows.map((member) => presentUser(site, member, viewer)),
    total,
  )

/** The redirect for callers who may see public memberships only. Clients follow the path below the site's root. */
function toPublicMember({ site }: Services, organization: User, user: User): Sent<303, undefined> {
  const root = new URL(site.rootUrl).pathname.replace(/\/$/, "")
  const location = `${root}/api/v1/orgs/${encodeURIComponent(organization.name)}/public_members/${encodeURIComponent(user.name)}`
  return { status: 303, body: undefined, headers: { location } }
}

export const organizationMemberOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgListMembers",
    route: "GET /orgs/{org}/members",
    summary: "List an organization's members",
    description: "Members see all of them; everyone else those who show their membership.",
    access: onOrganizationSignedIn,
    paged: true,
    query: {
      filter: Type.Optional(
        oneOf(["all", "2fa_disabled"], { default: "all", description: "2fa_disabled: those without a second factor, for owners" }),
      ),
    },
    answers: { 200: Type.Array(UserRecord) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, organization, role, query, page }) => {
      const isFiltered = query.filter === "2fa_disabled"
      if (isFiltered && !role.isOwner) throw refuse.forbidden("Must be an organization owner")
      return presentPage(services, await findMembers(db, organization, actor, shownTo(actor, role), page, isFiltered), actor)
    },
  }),

  operation({
    ...shared,
    id: "orgIsMember",
    route: "GET /orgs/{org}/members/{username}",
    summary: "Check whether a user is a member of an organization",
    description: "Others are redirected to the public members.",
    access: onOrganizationSignedIn,
    answers: { 204: null, 303: null },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, me, organization, role, path }) => {
      const user = await locateKnown(db, actor, path.username, "username")
      const insider = (role.isMember || role.isOwner) && !isPublicOnly(actor)
      if (!insider && user.id !== me.id) return toPublicMember(services, organization, user)
      if (!(await findMember.first(db, { organizationId: organization.id, userId: user.id }))) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgDeleteMember",
    route: "DELETE /orgs/{org}/members/{username}",
    summary: "Remove a member from an organization",
    description: "Out of all its teams, and off its repositories' collaborators and watchers. The last owner can't be removed.",
    access: onOrganizationAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, me, organization, path }) => {
      const user = await locateKnown(db, actor, path.username, "username")
      await services.database.write((tx) => removeMember(tx, organization.id, user.id, me))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgListPublicMembers",
    route: "GET /orgs/{org}/public_members",
    summary: "List an organization's public members",
    access: onOrganization,
    paged: true,
    answers: { 200: Type.Array(UserRecord) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, organization, page }) =>
      presentPage(services, await findMembers(db, organization, actor, "public", page), actor),
  }),

  operation({
    ...shared,
    id: "orgIsPublicMember",
    route: "GET /orgs/{org}/public_members/{username}",
    summary: "Check whether a user is a public member of an organization",
    access: onOrganization,
    answers: { 204: null },
    refuses: ["notFound"],
    handle: async ({ db, actor, organization, path }) => {
      const user = await locateKnown(db, actor, path.username, "username")
      const member = await findMember.first(db, { organizationId: organization.id, userId: user.id })
      if (member?.is_public !== 1) throw refuse.notFound()
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgPublicizeMember",
    route: "PUT /orgs/{org}/public_members/{username}",
    summary: "Publicize a membership",
    description: "Members their own, owners everyone's.",
    access: onOrganizationAsMember,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, me, organization, role, path }) => {
      const user = await locateKnown(db, actor, path.username, "username")
      await services.database.write((tx) =>
        showMembership(tx, organization.id, user.id, { isPublic: true, byUserId: me.id, mayChangeOthers: role.isOwner }),
      )
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgConcealMember",
    route: "DELETE /orgs/{org}/public_members/{username}",
    summary: "Conceal a membership",
    description: "Members their own, owners everyone's.",
    access: onOrganizationAsMember,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, me, organization, role, path }) => {
      const user = await locateKnown(db, actor, path.username, "username")
      await services.database.write((tx) =>
        showMembership(tx, organization.id, user.id, { isPublic: false, byUserId: me.id, mayChangeOthers: role.isOwner }),
      )
      return noContent()
    },
  }),
]
