import { roleIn } from "../../../access/policies/organization-role.ts"
import { locateUser, userVisible } from "../../../access/policies/people.ts"
import { isPublicOnly, type SignedIn, type User } from "../../../core/actor.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { NOT_FOUND } from "../pushes/admission.ts"
import type { Address } from "../pushes/follow.ts"
import { requireRepositoryName } from "../repositories/names.ts"
import { createRepository } from "./create.ts"

/** A repository that a push may create. */
export interface PushCreation {
  readonly owner: User
  readonly name: string
}

/**
 * The repository that a push to a missing one may create.
 * Refuses `forbidden` if that is switched off, `invalid` for an invalid repository name, and `notFound` for pushers who could not create a
 * repository there: to them a missing repository must look like a hidden one.
 */
export async function admitCreation(services: Services, pusher: SignedIn, ownerName: string, name: string): Promise<PushCreation> {
  const { config, database } = services
  const owner = await locateUser(database.read, pusher, ownerName, "owner")
  // The new repository would be private, so a token limited to public repositories is refused.
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

/** Creates the repository that is pushed to, private and empty. Refuses like `admitCreation` and `createRepository`. */
export async function createForPush(services: Services, pusher: SignedIn, { owner, name }: Address): Promise<void> {
  const creation = await admitCreation(services, pusher, owner, name)
  const options = { name: creation.name, private: true }
  await createRepository(services, { doer: pusher.user, owner: creation.owner, options }).catch((error: unknown) => {
    // Of two concurrent first pushes, the second continues with the repository that the first created.
    if (!(error instanceof Refusal && error.kind === "conflict")) throw error
  })
}
