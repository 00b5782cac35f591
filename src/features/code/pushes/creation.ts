import { roleIn } from "../../../access/policies/organization-role.ts"
import { locateUser, userVisible } from "../../../access/policies/people.ts"
import { isPublicOnly, type SignedIn, type User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { createRepository } from "../repositories/create.ts"
import { requireRepositoryName } from "../repositories/names.ts"
import { NOT_FOUND } from "./admission.ts"

/** A repository that a push may make. */
export interface Creation {
  readonly owner: User
  readonly name: string
}

/**
 * What a push to a missing repository may make.
 * Refuses `forbidden` where that is switched off, `invalid` for a name that no repository may have, and `notFound` for whoever could not make a
 * repository there anyway: to them a missing repository must look like a hidden one.
 */
export async function admitCreation(services: Services, pusher: SignedIn, ownerName: string, name: string): Promise<Creation> {
  const { config, database } = services
  const owner = await locateUser(database.read, pusher, ownerName, "owner")
  // What would be made is private, and not for a token that is limited to public things.
  if (isPublicOnly(pusher) || !(await userVisible(database.read, pusher, owner))) throw refuse.notFound(NOT_FOUND)
  if (owner.kind === "person") {
    if (owner.id !== pusher.user.id && pusher.user.is_admin === 0) throw refuse.notFound(NOT_FOUND)
    if (!config.git.pushToCreate.user) throw refuse.forbidden("Push to create is not enabled for users.")
  } else {
    if (!(await roleIn(database.read, pusher, owner)).mayCreateRepositories) throw refuse.notFound(NOT_FOUND)
    if (!config.git.pushToCreate.organization) throw refuse.forbidden("Push to create is not enabled for organizations.")
  }
  requireRepositoryName(name)
  return { owner, name }
}

/** Makes it, private and empty. Refuses like `createRepository`; `conflict` where another was faster. */
export async function createByPush(services: Services, pusher: SignedIn, { owner, name }: Creation): Promise<void> {
  await createRepository(services, { doer: pusher.user, owner, options: { name, private: true } })
}
