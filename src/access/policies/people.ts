import { type Actor, anonymous, isPublicOnly, isSiteAdministrator, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { Renamed, refuse } from "../../core/errors.ts"
import type { Access } from "../../core/operation.ts"
import { findAcquaintance, findUserByName, findUserRedirect } from "../store.ts"
import { organizationVisible, personVisible } from "../visibility.ts"
import { NO_ROLE, roleIn } from "./organization-role.ts"
import { asMe, type Me, siteAdministrator } from "./site.ts"

/**
 * The user of the path's {username}, person or organisation; an older name leads to the newer. It finds hidden users as well: whether the
 * caller may know of them is for the policy to decide. What has no such policy uses `locateKnown`.
 */
export async function locateUser(db: Handle, actor: Actor, name: string, parameter: string): Promise<User> {
  const lowerName = name.toLowerCase()
  const user = await findUserByName.first(db, { lowerName })
  if (user) return user
  const renamed = await findUserRedirect.first(db, { lowerName })
  // An older name must not reveal more to the caller than the newer one would.
  if (renamed && (await userVisible(db, actor, renamed))) throw new Renamed(307, { [parameter]: renamed.name })
  throw refuse.notFound()
}

/** Whether the caller may see this person or organisation. */
export async function userVisible(db: Handle, actor: Actor, user: User): Promise<boolean> {
  if (user.kind === "person") return personVisible(actor, user)
  const { isMember, isWithheld } = user.visibility === "public" ? NO_ROLE : await roleIn(db, actor, user)
  return organizationVisible(actor, user, isMember || isWithheld)
}

/**
 * Whether the caller may know of this person or organisation: of those whom they may see, and of hidden ones with whom they, or the account
 * that they act for, have to do (`findAcquaintance`). So a private person who writes in one's repositories can be blocked. At most one
 * statement, for people who can be seen none.
 */
export async function userKnown(db: Handle, actor: Actor, user: User, actsFor?: User): Promise<boolean> {
  if (await userVisible(db, actor, user)) return true
  if (actor.kind === "anonymous" || isPublicOnly(actor)) return false
  const others = [actor.user.id, ...(actsFor ? [actsFor.id] : [])]
  return (await findAcquaintance.first(db, { userId: user.id, others })) !== undefined
}

/** Like `locateUser`, for callers who may know of the user; for others the user is missing. */
export async function locateKnown(db: Handle, actor: Actor, name: string, parameter: string, actsFor?: User): Promise<User> {
  const user = await locateUser(db, actor, name, parameter)
  if (!(await userKnown(db, actor, user, actsFor))) throw refuse.notFound()
  return user
}

/** The user of this present name, for callers who may know of them; undefined for others. */
export async function findKnown(db: Handle, actor: Actor, name: string, actsFor?: User): Promise<User | undefined> {
  const user = await findUserByName.first(db, { lowerName: name.toLowerCase() })
  return user && (await userKnown(db, actor, user, actsFor)) ? user : undefined
}

/** Those of the users of whom the caller may know. */
export async function knownAmong<U extends User>(db: Handle, actor: Actor, users: readonly U[], actsFor?: User): Promise<readonly U[]> {
  const known: U[] = []
  for (const user of users) if (await userKnown(db, actor, user, actsFor)) known.push(user)
  return known
}

export interface OnUser {
  /** The user named by the path. */
  readonly user: User
}

/** A user whom the caller may see; anonymous callers are allowed. */
export const onVisibleUser: Access<OnUser> = {
  rule: { subject: "user", needs: "visible", signIn: "optional" },
  open: async ({ db, actor, path }) => {
    const user = await locateUser(db, actor, path.username ?? "", "username")
    if (!(await userVisible(db, actor, user))) throw refuse.notFound()
    return { user }
  },
}

/** A person whom everyone may see, on a site that shows anything to anonymous callers. */
export const onPublicPerson: Access<OnUser> = {
  rule: { subject: "user", needs: "visible", signIn: "optional" },
  open: async (request) => {
    const found = request.services.config.security.requireSignIn ? undefined : await onVisibleUser.open({ ...request, actor: anonymous })
    if (found?.user.kind !== "person") throw refuse.notFound()
    return found
  },
}

/** Like `onVisibleUser`, for those who have signed in. */
export const onVisibleUserSignedIn: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "visible", signIn: "required" },
  open: async (request) => ({ ...asMe(request.actor), ...(await onVisibleUser.open(request)) }),
}

/** A user of whom the caller may know, for signed-in callers who want to follow or block them, or no longer. */
export const onKnownUser: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "known", signIn: "required" },
  open: async ({ db, actor, path }) => ({
    ...asMe(actor),
    user: await locateKnown(db, actor, path["username"] ?? "", "username"),
  }),
}

/** The user of the path, for that user and for site administrators. */
export const onSelf: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "self", signIn: "required" },
  open: async (request) => {
    const found = await onVisibleUserSignedIn.open(request)
    if (found.user.id !== found.me.id && !isSiteAdministrator(found.actor)) throw refuse.forbidden()
    return found
  },
}

/** Any user of the path, for site administrators; the decision comes before the look-up. */
export const siteAdministratorOnUser: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "siteAdministrator", signIn: "required" },
  open: async (request) => {
    const found = await siteAdministrator.open(request)
    return { ...found, user: await locateUser(request.db, request.actor, request.path.username ?? "", "username") }
  },
}
