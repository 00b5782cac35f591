import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { deleteAttachments } from "../../code/attachments/rules.ts"
import { removeFilesJob } from "../../code/attachments/files.ts"
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
  await deleteAttachments(tx, services, { repository_id: ended.repository_id })
  await jobs.enqueue(tx, deleteRemainsJob, { repositoryId: ended.repository_id })
  return true
}

/** How often a deletion looks for another one to end: what is still over goes with the next. */
const ROUNDS = 10

/**
 * Ends deletions of an owner's things until what is left has room, never the one of that id: of the person who deleted most the oldest goes first, so that who floods a
 * repository loses what they deleted themselves.
 */
export async function makeRoom(tx: Transaction, services: Services, ownerId: number, but: number): Promise<void> {
  const { ownerBytes, ownerFileBytes } = services.config.undo
  for (let round = 0; round < ROUNDS; round++) {
    const shares = (await weighOwner(tx, { ownerId })).map((share) => ({ actorId: share.actor_id, rows: Number(share.rows), files: Number(share.files) }))
    const isOver = (of: "rows" | "files", most: number) => shares.reduce((sum, share) => sum + share[of], 0) > most
    const over = isOver("files", ownerFileBytes) ? "files" : isOver("rows", ownerBytes) ? "rows" : undefined
    if (!over) return
    const most = shares.toSorted((one, other) => other[over] - one[over])
    let ended = 0
    for (const { actorId } of most) {
      const oldest = await findOldestBy(tx, { ownerId, actorId, but })
      for (const each of over === "files" ? oldest.slice(0, 1) : oldest) if (await endDeletion(tx, services, each)) ended++
      if (ended > 0) break
    }
    if (ended === 0) return
  }
}
