import { Mode } from "../../../access/modes.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { grantedRepositories, listedUsers } from "../../../access/visibility.ts"
import { type Actor, isPublicOnly, type User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"

/** The collaborators visible to the caller: administrators of the repository see all of them. */
function shownCollaborators(db: Handle, actor: Actor, { repository, permission }: OnRepository) {
  const knowsAll = permission.mode >= Mode.admin && !isPublicOnly(actor)
  return db
    .selectFrom("collaborations")
    .innerJoin("users", "users.id", "collaborations.user_id")
    .where("collaborations.repository_id", "=", repository.id)
    .$if(!knowsAll, (people) => people.where(listedUsers(actor)))
}

export interface Collaborator extends User {
  /** What they may do by their collaboration. */
  readonly granted: number
}

/** A page of those collaborators, in the order in which they were added. */
export async function findCollaborators(db: Handle, actor: Actor, on: OnRepository, page: Page): Promise<Found<Collaborator>> {
  const shown = shownCollaborators(db, actor, on)
  const { total } = await shown.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await shown
    .selectAll("users")
    .select("collaborations.mode as granted")
    .orderBy("collaborations.created_at")
    .orderBy("users.id")
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  return { rows, total }
}

/** Whether a user is one of those collaborators. */
export async function isShownCollaborator(db: Handle, actor: Actor, on: OnRepository, userId: number): Promise<boolean> {
  const found = await shownCollaborators(db, actor, on).select("users.id").where("users.id", "=", userId).executeTakeFirst()
  return found !== undefined
}

/** Whether a user was given access to the repository: as a collaborator, through a team, or by a pending transfer. */
export async function isLetIn(db: Handle, repositoryId: number, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom("repositories")
    .select("id")
    .where("id", "=", repositoryId)
    .where(grantedRepositories(userId))
    .executeTakeFirst()
  return found !== undefined
}
