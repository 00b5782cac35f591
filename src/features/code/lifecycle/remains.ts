import { rm } from "node:fs/promises"
import { isDeleted } from "../../../access/rules.ts"
import { findRepositoryById } from "../../../access/store.ts"
import { heldUntil } from "../../../core/backup/hold.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { defineJob, NotYet } from "../../../core/jobs/jobs.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { nextTurn } from "../../../core/work.ts"
import { dropAvatar } from "../../people/avatars/pictures.ts"
import { archivesOf } from "../archives/archive.ts"
import { OBJECT_FORMATS } from "../repositories/records.ts"
import { deleteRepositoryRow } from "../repositories/store.ts"
import { wikiAt } from "../repositories/wiki-place.ts"
import { batchesOf, detach } from "./remains-store.ts"

/*
 * Deleting a repository deletes what belongs to it by cascade, in one statement. With thousands of issues that takes seconds, in which no one else gets an answer. So a large one is
 * given to no one instead: an account that no one reaches, where it has no name that anyone knows, no collaborators and no units. A job deletes what remains of it in batches.
 */

/**
 * Gives a repository to no one, where no one sees it; a job deletes it. Its row must be locked, and what follows from its deletion for others must be done. Like its
 * deletion would, it makes forks and what was generated from it independent.
 */
export async function giveToNobody(tx: Transaction, { jobs, now }: Pick<Services, "jobs" | "now">, id: number): Promise<void> {
  await detach(tx, id, now())
  await jobs.enqueue(tx, deleteRemainsJob, { repositoryId: id })
}

/** Removes the files of a deleted repository, and of its wiki. */
export const removeFilesJob = defineJob({
  kind: "repository.removeFiles",
  payload: Type.Object({ storage: Type.String(), format: oneOf(OBJECT_FORMATS), avatar: Type.String() }),
  run: async ({ storage, format, avatar }, { context }) => {
    const until = await heldUntil(context.database.read, context.now())
    if (until > 0) throw new NotYet("a backup is being made, which may have it", until)
    await context.git.repositories.remove(context.git.at(storage, format))
    await context.git.repositories.remove(wikiAt(context.git, { storage, object_format: format }))
    await rm(archivesOf(context, storage), { recursive: true, force: true })
    if (avatar !== "") await dropAvatar(context, avatar)
  },
})

/** Deletes the row of a repository with what belongs to it; a job removes its files. */
export async function deleteRow(tx: Transaction, jobs: Services["jobs"], id: number): Promise<void> {
  const gone = await deleteRepositoryRow(tx, id)
  if (gone) await jobs.enqueue(tx, removeFilesJob, { storage: gone.storage, format: gone.object_format, avatar: gone.avatar })
}

/** Deletes what remains of a repository without an owner, in batches of which each is a transaction, so that others have their turn; in the end the repository. */
export const deleteRemainsJob = defineJob({
  kind: "repository.deleteRemains",
  payload: Type.Object({ repositoryId: int64() }),
  timeoutSeconds: 3600,
  run: async ({ repositoryId: id }, { context: { database, jobs }, signal }) => {
    const found = await findRepositoryById.first(database.read, { id })
    if (!found || !isDeleted(found)) return
    for (const deleteBatch of batchesOf(id)) {
      for (let deleted = 1; deleted > 0; ) {
        if (signal.aborted) throw new Error("interrupted; the rest is deleted later")
        deleted = await database.write(deleteBatch)
        await nextTurn()
      }
    }
    await database.write((tx) => deleteRow(tx, jobs, id))
  },
})
