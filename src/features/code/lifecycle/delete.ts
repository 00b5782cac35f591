import { isPublicRepository, type Repository } from "../../../access/permission.ts"
import { isDeleted } from "../../../access/rules.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import type { DeletionRule } from "../../people/organizations/rules.ts"
import { GHOST } from "../../people/users/present.ts"
import { deleteAttachments } from "../attachments/rules.ts"
import { findKeptRepository } from "../deletions/store.ts"
import { recountForks, recountOwned, recountStars } from "../repositories/counters-store.ts"
import { parseStrings } from "../repositories/present.ts"
import { findFirstOwned, findNewestOwned } from "../repositories/store.ts"
import { dropStars } from "../stars/store.ts"
import { dropTopics, recountTopics } from "../topics/store.ts"
import { deleteRow, giveToNobody } from "./remains.ts"
import { detach, isLarge } from "./remains-store.ts"

/**
 * Deletes a repository with everything that belongs to it; of a large one, no one sees anything from then on, and a job deletes the rest. Its forks become independent, and open pull requests from it to others
 * are closed; a job removes the files once the transaction is committed. One that may be restored is given to no one too, and everything of it stays until that time is over: see
 * `features/site/undo`. Returns whether the repository existed.
 */
export async function deleteRepository(
  tx: Transaction,
  services: Services,
  repository: Repository,
  actor: User,
  { mayBeRestored = false } = {},
): Promise<boolean> {
  const { jobs } = services
  const { id } = repository
  const locked = await lockRow(tx, "repositories", id)
  // Someone was faster; what they deleted may be kept for a while.
  if (!locked || isDeleted(locked)) return false
  const owner = await findUserById.first(tx, { id: repository.owner_id })
  const wasPublic = owner !== undefined && isPublicRepository({ repository, owner })
  if (owner) publish(tx, { kind: "repository.deleted", repository, owner, wasPublic, actor, mayBeRestored, at: services.now() })
  await services.events.deliver(tx)
  const isKept = mayBeRestored && (await findKeptRepository.first(tx, { repositoryId: id })) !== undefined
  // Both are counted in the locked row, which says where there are none.
  const userIds = locked.stars_count === 0 ? [] : await dropStars(tx, [id])
  const topicIds = parseStrings(locked.topics).length === 0 ? [] : await dropTopics(tx, id)
  if (!isKept) await deleteAttachments(tx, { jobs }, { repository_id: id })
  const gone = await findRepositoryById.first(tx, { id })
  if (!gone) return false
  // Watches, redirects, collaborations, teams, branches, labels, the feed and the rest are deleted by cascade.
  if (isKept) await detach(tx, id, services.now(), { isKept })
  else if (await isLarge(tx, id)) await giveToNobody(tx, services, id)
  else await deleteRow(tx, jobs, id)
  await recountStars(tx, { repositoryIds: [], userIds })
  await recountTopics(tx, topicIds)
  await recountForks(tx, gone.fork_of_id === null ? [] : [gone.fork_of_id])
  await recountOwned(tx, [gone.owner_id])
  return true
}

/** Deletes the repositories that an owner had when the job was created, one per transaction, so that other writers aren't blocked for long. */
export const deleteOwnedJob = defineJob({
  kind: "repository.deleteOwned",
  payload: Type.Object({ ownerId: int64(), newestId: int64(), doerId: Type.Optional(int64()) }),
  timeoutSeconds: 3600,
  run: async ({ ownerId, newestId, doerId }, { context, signal }) => {
    const { database } = context
    const doer = (doerId === undefined ? undefined : await findUserById.first(database.read, { id: doerId })) ?? GHOST
    while (!signal.aborted) {
      const next = await findFirstOwned(database.read, ownerId, newestId)
      if (!next) return
      await database.write((tx) => deleteRepository(tx, context, next, doer, { mayBeRestored: true }))
    }
    throw new Error("interrupted; the rest is deleted later")
  },
})

/** Repositories of an organisation are deleted, or handed over, before it. */
export const repositoriesGone: DeletionRule = async (tx, organization) => {
  if (await findNewestOwned.first(tx, { ownerId: organization.id }))
    throw refuse.invalid("org", "still owns repositories; delete them or hand them over first")
}
