import type { Insertable } from "kysely"
import { Mode } from "../../../access/modes.ts"
import type { Repository } from "../../../access/permission.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import { grantedRepositories, listedUsers, visibleRepositories } from "../../../access/visibility.ts"
import { type Actor, isPublicOnly, type User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { forNoKeyUpdate } from "../../../core/database/lock.ts"
import type { CollaborationsTable } from "../../../core/database/tables/repositories.ts"
import type { Page } from "../../../core/operation.ts"
import type { Found } from "../../people/users/store.ts"
import { idsOwnedBy } from "../repositories/store.ts"

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

/** The team's repositories that the caller may see, by name. */
export async function findTeamRepositories(db: Handle, teamId: number, actor: Actor, page: Page): Promise<Found<Repository>> {
  const shown = db
    .selectFrom("repositories")
    .innerJoin("team_repositories", "team_repositories.repository_id", "repositories.id")
    .where("team_repositories.team_id", "=", teamId)
    .where(visibleRepositories(actor))
  const { total } = await shown.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
  const rows = await shown.selectAll("repositories").orderBy("repositories.lower_name").limit(page.limit).offset(page.offset).execute()
  return { rows, total }
}

/** Ends collaborations of these people in these repositories. */
export const deleteCollaborations = (
  tx: Transaction,
  { userIds, repositoryIds }: { readonly userIds: readonly number[]; readonly repositoryIds: readonly number[] },
) =>
  tx
    .deleteFrom("collaborations")
    .where(inList("collaborations.user_id", userIds))
    .where(inList("collaborations.repository_id", repositoryIds))
    .execute()

/** Removes collaborations of a new owner or its members, who have access through ownership now. Returns the removed users' ids. */
export async function dropCollaborators(tx: Transaction, repositoryId: number, recipient: User): Promise<readonly number[]> {
  const members = tx.selectFrom("organization_members").select("user_id").where("organization_id", "=", recipient.id)
  const dropped = await tx
    .deleteFrom("collaborations")
    .where("repository_id", "=", repositoryId)
    .where((eb) => eb.or([eb("user_id", "=", recipient.id), eb("user_id", "in", members)]))
    .returning("user_id")
    .execute()
  return dropped.map((row) => row.user_id)
}

/** Ends the collaborations of a user on the repositories of an owner; returns on which. */
export const dropCollaborationsBy = (tx: Transaction, userId: number, ownerId: number) =>
  tx
    .deleteFrom("collaborations")
    .where("user_id", "=", userId)
    .where("repository_id", "in", idsOwnedBy(tx, ownerId))
    .returning("repository_id")
    .execute()

/** A user's mode by their collaboration, locked. */
export const lockCollaboration = (tx: Transaction, repositoryId: number, userId: number) =>
  tx
    .selectFrom("collaborations")
    .select("mode")
    .where("repository_id", "=", repositoryId)
    .where("user_id", "=", userId)
    .modifyEnd(forNoKeyUpdate)
    .executeTakeFirst()

/** Stores what a user may do as a collaborator. */
export async function putCollaboration(tx: Transaction, collaboration: Insertable<CollaborationsTable>): Promise<void> {
  await tx
    .insertInto("collaborations")
    .values(collaboration)
    .onConflict((conflict) => conflict.columns(["repository_id", "user_id"]).doUpdateSet({ mode: collaboration.mode }))
    .execute()
}

/** Ends a collaboration; returns whether there was one. */
export async function dropCollaboration(tx: Transaction, repositoryId: number, userId: number): Promise<boolean> {
  const dropped = await tx
    .deleteFrom("collaborations")
    .where("repository_id", "=", repositoryId)
    .where("user_id", "=", userId)
    .returning("user_id")
    .execute()
  return dropped.length > 0
}
