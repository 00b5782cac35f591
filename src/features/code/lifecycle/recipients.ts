import { roleIn } from "../../../access/policies/organization-role.ts"
import { locateUser, userVisible } from "../../../access/policies/people.ts"
import { isSiteAdministrator, type SignedIn, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Renamed, refuse } from "../../../core/errors.ts"
import { isChosenOwner, NOT_CHOSEN } from "../../../core/limited-token.ts"

/**
 * The user or organisation named in a request body. Refuses `notFound` for unknown and hidden ones; old names are not redirected here.
 */
export async function locateNamed(db: Handle, actor: SignedIn, name: string): Promise<User> {
  const user = await locateUser(db, actor, name, "owner").catch((error: unknown) => {
    throw error instanceof Renamed ? refuse.notFound() : error
  })
  if (!(await userVisible(db, actor, user))) throw refuse.notFound()
  return user
}

/** Refuses `forbidden` if the caller may not create repositories for this user or organisation. */
export async function requireMayCreateFor(db: Handle, actor: SignedIn, owner: User): Promise<void> {
  if (!isChosenOwner(actor, owner)) throw refuse.forbidden(NOT_CHOSEN)
  if (owner.id === actor.user.id || isSiteAdministrator(actor)) return
  if (owner.kind === "person") throw refuse.forbidden("repositories are made for oneself or for organizations")
  if (!(await roleIn(db, actor, owner)).mayCreateRepositories)
    throw refuse.forbidden("User is not allowed to create repositories in this organization.")
}
