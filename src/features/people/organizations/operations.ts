import { Mode } from "../../../access/modes.ts"
import { onOrganization, onOrganizationAsOwner, onOrganizationPerson } from "../../../access/policies/organizations.ts"
import { onVisibleUserSignedIn, siteAdministratorOnUser } from "../../../access/policies/people.ts"
import { anyone, signedIn, siteAdministrator } from "../../../access/policies/site.ts"
import { findMembership } from "../../../access/store.ts"
import { organizationVisible } from "../../../access/visibility.ts"
import type { Actor, User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { dropAvatar, storeAvatar } from "../avatars/pictures.ts"
import { UpdateUserAvatarOption } from "../users/records.ts"
import { presentOrganization } from "./present.ts"
import { CreateOrgOption, EditOrgOption, Organization, OrganizationPermissions, RenameOrgOption } from "./records.ts"
import {
  changeAvatar,
  createOrganization,
  deleteOrganization,
  editOrganization,
  renameOrganization,
  requireMayCreateOrganizations,
} from "./rules.ts"
import { type Found, findOrganizationsOf, findVisibleOrganizations } from "./store.ts"

const shared = { tag: "organization", scope: ["organization"] } as const
const ofPeople = { tag: "organization", scope: ["user", "organization"] } as const
const administrative = { tag: "admin", scope: ["admin"] } as const

const presentPage = ({ site }: Services, { rows, total }: Found, viewer: Actor) =>
  listed(
    rows.map((organization) => presentOrganization(site, organization, viewer)),
    total,
  )

/** Sets the avatar, or with "" the generated one, and deletes the previous image where no other row uses it. */
async function showAvatar(services: Services, me: User, organization: User, digest: string): Promise<void> {
  const before = await services.database.write((tx) => changeAvatar(tx, me, organization.id, digest, services.now()))
  if (before !== digest) await dropAvatar(services, before)
}

export const organizationOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "orgGetAll",
    route: "GET /orgs",
    summary: "List organizations",
    access: anyone,
    mayBeOld: true,
    paged: true,
    answers: { 200: Type.Array(Organization) },
    handle: async ({ db, services, actor, page }) => presentPage(services, await findVisibleOrganizations(db, actor, page), actor),
  }),

  operation({
    ...shared,
    id: "orgCreate",
    route: "POST /orgs",
    summary: "Create an organization",
    description: "The caller is the first of its owners.",
    access: signedIn,
    body: CreateOrgOption,
    answers: { 201: Organization },
    refuses: ["forbidden", "invalid"],
    handle: async ({ services, me, actor, body }) => {
      requireMayCreateOrganizations(me)
      const organization = await services.database.write((tx) => createOrganization(tx, { actor: me, owner: me }, body, services.now()))
      return created(presentOrganization(services.site, organization, actor))
    },
  }),

  operation({
    ...shared,
    id: "orgGet",
    route: "GET /orgs/{org}",
    summary: "Get an organization",
    access: onOrganization,
    answers: { 200: Organization },
    refuses: ["notFound"],
    handle: ({ services, actor, organization }) => ok(presentOrganization(services.site, organization, actor)),
  }),

  operation({
    ...shared,
    id: "orgEdit",
    route: "PATCH /orgs/{org}",
    summary: "Edit an organization",
    access: onOrganizationAsOwner,
    body: EditOrgOption,
    answers: { 200: Organization },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, actor, organization, body }) => {
      const edited = await services.database.write((tx) => editOrganization(tx, services, me, organization.id, body, services.now()))
      return ok(presentOrganization(services.site, edited, actor))
    },
  }),

  operation({
    ...shared,
    id: "renameOrg",
    route: "POST /orgs/{org}/rename",
    summary: "Rename an organization",
    description: "The old name leads to the new one until someone else takes it.",
    access: onOrganizationAsOwner,
    body: RenameOrgOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, organization, body }) => {
      await services.database.write((tx) => renameOrganization(tx, me, organization.id, body.new_name, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgDelete",
    route: "DELETE /orgs/{org}",
    summary: "Delete an organization",
    description: "It must not own repositories any more.",
    access: onOrganizationAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, organization }) => {
      await services.database.write((tx) => deleteOrganization(tx, services, organization.id))
      await dropAvatar(services, organization.avatar)
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgUpdateAvatar",
    route: "POST /orgs/{org}/avatar",
    summary: "Set an organization's avatar",
    access: onOrganizationAsOwner,
    body: UpdateUserAvatarOption,
    answers: { 204: null },
    refuses: ["badRequest", "forbidden", "notFound", "invalid"],
    handle: async ({ services, me, organization, body }) => {
      await storeAvatar(services, body.image, (digest) => showAvatar(services, me, organization, digest))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "orgDeleteAvatar",
    route: "DELETE /orgs/{org}/avatar",
    summary: "Delete an organization's avatar",
    description: "A drawn one is shown in its place.",
    access: onOrganizationAsOwner,
    answers: { 204: null },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, me, organization }) => {
      await showAvatar(services, me, organization, "")
      return noContent()
    },
  }),

  // --- of a user -------------------------------------------------------------------------------------------------------------------

  operation({
    ...ofPeople,
    id: "orgListCurrentUserOrgs",
    route: "GET /user/orgs",
    summary: "List the caller's organizations",
    access: signedIn,
    paged: true,
    answers: { 200: Type.Array(Organization) },
    handle: async ({ db, services, me, actor, page }) => presentPage(services, await findOrganizationsOf(db, actor, me.id, page), actor),
  }),

  operation({
    ...ofPeople,
    id: "orgListUserOrgs",
    route: "GET /users/{username}/orgs",
    summary: "List a user's organizations",
    description: "Concealed memberships are shown to the user and to site administrators.",
    access: onVisibleUserSignedIn,
    paged: true,
    answers: { 200: Type.Array(Organization) },
    refuses: ["notFound"],
    handle: async ({ db, services, actor, user, page }) =>
      presentPage(services, await findOrganizationsOf(db, actor, user.id, page), actor),
  }),

  operation({
    ...ofPeople,
    id: "orgGetUserPermissions",
    route: "GET /users/{username}/orgs/{org}/permissions",
    summary: "Get a user's permissions in an organization",
    description: "From the overall modes of the user's teams; what teams give unit by unit doesn't count here.",
    access: onOrganizationPerson,
    answers: { 200: OrganizationPermissions },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, organization, user }) => {
      const membership = await findMembership.first(db, { organizationId: organization.id, userId: user.id })
      const seen = organizationVisible({ kind: "user", user, credential: { kind: "password" }, basic: false }, organization, !!membership)
      if (!seen) throw refuse.notFound()
      const mode = membership?.mode ?? Mode.none
      return ok({
        is_owner: mode >= Mode.owner,
        is_admin: mode >= Mode.admin,
        can_write: mode >= Mode.write,
        can_read: mode >= Mode.read,
        can_create_repository: mode >= Mode.owner || membership?.can_create_repositories === 1,
      })
    },
  }),

  // --- of the site -----------------------------------------------------------------------------------------------------------------

  operation({
    ...administrative,
    id: "adminGetAllOrgs",
    route: "GET /admin/orgs",
    summary: "List all organizations",
    access: siteAdministrator,
    paged: true,
    answers: { 200: Type.Array(Organization) },
    refuses: ["forbidden"],
    handle: async ({ db, services, actor, page }) => presentPage(services, await findVisibleOrganizations(db, actor, page), actor),
  }),

  operation({
    ...administrative,
    id: "adminListUserOrgs",
    since: "0.2.0",
    route: "GET /admin/users/{username}/orgs",
    summary: "List a user's organizations, for administrators",
    description: "All of them, by name, also where the membership is concealed.",
    access: siteAdministratorOnUser,
    paged: true,
    answers: { 200: Type.Array(Organization) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, user, page }) =>
      presentPage(services, await findOrganizationsOf(db, actor, user.id, page), actor),
  }),

  operation({
    ...administrative,
    id: "adminCreateOrg",
    route: "POST /admin/users/{username}/orgs",
    summary: "Create an organization for a user",
    description: "The user is the first of its owners, whether or not they may make organizations themselves.",
    access: siteAdministratorOnUser,
    body: CreateOrgOption,
    answers: { 201: Organization },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, me, actor, user, body }) => {
      if (user.kind !== "person") throw refuse.invalid("username", "is an organization; organizations are owned by people")
      const organization = await services.database.write((tx) => createOrganization(tx, { actor: me, owner: user }, body, services.now()))
      return created(presentOrganization(services.site, organization, actor))
    },
  }),
]
