import { roleIn } from "../../../access/policies/organization-role.ts"
import { locateUser, userVisible } from "../../../access/policies/people.ts"
import { isPublicOnly, type SignedIn, type User } from "../../../core/actor.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { NOT_FOUND } from "../pushes/admission.ts"
import type { Address } from "../pushes/follow.ts"
import { requireRepositoryName } from "../repositories/names.ts"
import { createRepository } from "./create.ts"

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

/** Makes the repository that is pushed to, private and empty. Refuses like `admitCreation` and `createRepository`. */
export async function createForPush(services: Services, pusher: SignedIn, { owner, name }: Address): Promise<void> {
  const creation = await admitCreation(services, pusher, owner, name)
  const options = { name: creation.name, private: true }
  await createRepository(services, { doer: pusher.user, owner: creation.owner, options }).catch((error: unknown) => {
    // Two pushes may come for the first time at once; the second goes on with what the first has made.
    if (!(error instanceof Refusal && error.kind === "conflict")) throw error
  })
}
