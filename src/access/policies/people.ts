import { type Actor, isPublicOnly, isSiteAdministrator, type User } from "../../core/actor.ts"
import type { Handle } from "../../core/database/database.ts"
import { Renamed, refuse } from "../../core/errors.ts"
import type { Access } from "../../core/operation.ts"
import { findUserByName, findUserRedirect } from "../store.ts"
import { organizationVisible, personVisible } from "../visibility.ts"
import { roleIn } from "./organization-role.ts"
import { asMe, type Me, siteAdministrator } from "./site.ts"

/** The user of the path's {username}, person or organisation; an older name leads to the newer. */
export async function locateUser(db: Handle, actor: Actor, name: string, parameter: string): Promise<User> {
  // PostgreSQL can't store such text, so no user has this name.
  if (name.includes("\0")) throw refuse.notFound()
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
  return organizationVisible(actor, user, user.visibility !== "public" && (await roleIn(db, actor, user)).isMember)
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

/** Like `onVisibleUser`, for those who have signed in. */
export const onVisibleUserSignedIn: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "visible", signIn: "required" },
  open: async (request) => ({ ...asMe(request.actor), ...(await onVisibleUser.open(request)) }),
}

/**
 * Any user of the path, for signed-in callers: that a name is taken is visible to callers who try to take it, and it must be possible to
 * block a private user. Tokens limited to public things see only public users.
 */
export const onNamedUser: Access<OnUser & Me> = {
  rule: { subject: "user", needs: "nothing", signIn: "required" },
  open: async ({ db, actor, path }) => {
    const found = asMe(actor)
    const user = await locateUser(db, actor, path["username"] ?? "", "username")
    if (isPublicOnly(actor) && user.visibility !== "public") throw refuse.notFound()
    return { ...found, user }
  },
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
