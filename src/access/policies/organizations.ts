import type { User } from "../../core/actor.ts"
import { refuse } from "../../core/errors.ts"
import type { Access, Request } from "../../core/operation.ts"
import { organizationVisible } from "../visibility.ts"
import { FACTOR_MISSING, type OrganizationRole, roleIn } from "./organization-role.ts"
import { locateKnown, locateUser, type OnUser } from "./people.ts"
import { asMe, type Me } from "./site.ts"

export interface OnOrganization {
  readonly organization: User
  /** The role of the caller in it. */
  readonly role: OrganizationRole
}

/** The organisation of the path's {org}; one that the caller may not see is missing. */
async function locateOrganization({ db, actor, path }: Request): Promise<OnOrganization> {
  const organization = await locateUser(db, actor, path.org ?? "", "org")
  if (organization.kind !== "organization") throw refuse.notFound()
  const role = await roleIn(db, actor, organization)
  if (!organizationVisible(actor, organization, role.isMember || role.isWithheld)) throw refuse.notFound()
  return { organization, role }
}

export const onOrganization: Access<OnOrganization> = {
  rule: { subject: "organization", needs: "visible", signIn: "optional" },
  open: locateOrganization,
}

const organizationPolicy = (needs: "visible" | "member" | "owner"): Access<OnOrganization & Me> => ({
  rule: { subject: "organization", needs, signIn: "required" },
  open: async (request) => {
    const me = asMe(request.actor)
    const found = await locateOrganization(request)
    if (needs !== "visible" && found.role.isWithheld) throw refuse.forbidden(FACTOR_MISSING)
    if (needs === "member" && !found.role.isMember && !found.role.isOwner) throw refuse.forbidden("Must be an organization member")
    if (needs === "owner" && !found.role.isOwner) throw refuse.forbidden("Must be an organization owner")
    return { ...me, ...found }
  },
})

export const onOrganizationSignedIn = organizationPolicy("visible")
export const onOrganizationAsMember = organizationPolicy("member")
export const onOrganizationAsOwner = organizationPolicy("owner")

/** For callers who may create repositories in the organisation. */
export const onOrganizationAsCreator: Access<OnOrganization & Me> = {
  rule: { subject: "organization", needs: "createRepositories", signIn: "required" },
  open: async (request) => {
    const found = await onOrganizationSignedIn.open(request)
    if (!found.role.mayCreateRepositories) throw refuse.forbidden("User is not allowed to create repositories in this organization.")
    return found
  },
}

/**
 * The person of the path's {username} and the organisation of its {org}, for that person, members of the organisation and site
 * administrators: a role in an organisation reveals the membership, which the person may have concealed.
 */
export const onOrganizationPerson: Access<OnOrganization & OnUser & Me> = {
  rule: { subject: "organization", needs: "selfOrMember", signIn: "required" },
  open: async (request) => {
    const found = await onOrganizationSignedIn.open(request)
    const user = await locateKnown(request.db, request.actor, request.path["username"] ?? "", "username")
    if (user.id !== found.me.id && !found.role.isMember && !found.role.isOwner) throw refuse.forbidden("Must be an organization member")
    return { ...found, user }
  },
}
