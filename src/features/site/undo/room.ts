import { findRepositoryById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { removeActionFolderJob } from "../../actions/files/files.ts"
import { removeFilesJob } from "../../code/attachments/files.ts"
import { deleteAttachments } from "../../code/attachments/rules.ts"
import { type Deletion, findFilesOf, findOldestBy, takeDeletion, weighOwner } from "../../code/deletions/store.ts"
import { deleteRemainsJob } from "../../code/lifecycle/remains.ts"

/** Ends a deletion: what it kept is removed for good. Returns whether it was there. Done again it does nothing. */
export async function endDeletion(tx: Transaction, services: Services, { id }: Pick<Deletion, "id">): Promise<boolean> {
  const { jobs } = services
  const uuids = (await findFilesOf(tx, { id })).map(({ uuid }) => uuid)
  const ended = await takeDeletion.first(tx, { id })
  if (!ended) return false
  if (uuids.length > 0) await jobs.enqueue(tx, removeFilesJob, { uuids })
  if (ended.kind !== "repository" || ended.repository_id === null) return true
  const repository = await findRepositoryById.first(tx, { id: ended.repository_id })
  if (repository) await jobs.enqueue(tx, removeActionFolderJob, { storage: repository.storage })
  await deleteAttachments(tx, services, { repository_id: ended.repository_id })
  await jobs.enqueue(tx, deleteRemainsJob, { repositoryId: ended.repository_id })
  return true
}

/** How many deletions one deletion ends at most: what is still over goes with the next. */
const MOST_ENDED = 100

/**
 * Ends deletions of an owner's things until what is left has room, never the one of that id: of the person who deleted most the oldest goes first, one by one, so that who floods a
 * repository loses what they deleted themselves.
 */
export async function makeRoom(tx: Transaction, services: Services, ownerId: number, but: number): Promise<void> {
  const { ownerBytes, ownerFileBytes } = services.config.undo
  const shares = (await weighOwner(tx, { ownerId })).map((share) => ({
    actorId: share.actor_id,
    rows: Number(share.rows),
    files: Number(share.files),
  }))
  const oldest = new Map<number, Deletion[]>()
  /** Those of whom nothing older is left than what was just deleted. */
  const exhausted = new Set<number>()
  const isOver = (of: "rows" | "files", most: number) => shares.reduce((sum, share) => sum + share[of], 0) > most
  for (let ended = 0; ended < MOST_ENDED; ) {
    const over = isOver("files", ownerFileBytes) ? "files" : isOver("rows", ownerBytes) ? "rows" : undefined
    const share = over && shares.filter(({ actorId }) => !exhausted.has(actorId)).toSorted((one, other) => other[over] - one[over])[0]
    if (!share) return
    const waiting = oldest.get(share.actorId) ?? [...(await findOldestBy(tx, { ownerId, actorId: share.actorId, but }))]
    oldest.set(share.actorId, waiting)
    const next = waiting.shift()
    if (!next) exhausted.add(share.actorId)
    else if (await endDeletion(tx, services, next)) {
      share.rows -= next.row_bytes
      share.files -= next.file_bytes
      ended++
    }
  }
}
