import type { Repository } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import { removeFiles } from "../files/files.ts"
import { findLogPartFilesOfRun } from "./log-parts-store.ts"
import { publishingChanges } from "./publish.ts"
import { enterGroupAgain } from "./rerun.ts"
import { isDone } from "./status.ts"
import { changeRun, findArtifactFilesOfRun, findRun, findUnfinished, type Run, removeRun } from "./store.ts"
import { findLogFilesOfRun } from "./tasks-store.ts"
import { cancelJobs, updateRun } from "./update.ts"

/**
 * Deletes a run with all that belongs to it; files of artifacts and logs are removed once the transaction is committed. Refuses `notFound`,
 * and `badRequest` while it has not ended.
 */
export async function deleteRun(
  tx: Transaction,
  services: Pick<Services, "jobs">,
  { id: repositoryId, storage }: Pick<Repository, "id" | "storage">,
  id: number,
  actor: Pick<User, "id">,
): Promise<void> {
  // Another attempt may be created concurrently.
  await lockRow(tx, "repositories", repositoryId)
  const run = await findRun.first(tx, { repositoryId, id })
  if (!run) throw refuse.notFound()
  if (!isDone(run.state)) throw refuse.badRequest("this workflow run is not done")
  const of = { runId: id }
  const files = [...(await findArtifactFilesOfRun(tx, of)), ...(await findLogFilesOfRun(tx, of)), ...(await findLogPartFilesOfRun(tx, of))]
  await removeFiles(
    tx,
    services,
    files.map(({ file }) => ({ storage, file })),
  )
  await removeRun(tx, { id })
  publish(tx, { kind: "run.deleted", repositoryId, run, actor })
}

/** Whom a change of a run is asked of. */
interface OfRun {
  readonly repository: Pick<Repository, "id">
  readonly runId: number
}

/** Locks a run, for a change. Refuses `notFound`. */
async function lockRun(tx: Transaction, { repository, runId }: OfRun): Promise<Run> {
  await lockRow(tx, "repositories", repository.id)
  const run = await findRun.first(tx, { repositoryId: repository.id, id: runId })
  if (!run) throw refuse.notFound()
  return run
}

/**
 * Cancels a run: jobs that run are ended, and of the others only those start whose condition says so. Cancelled again, it ends these, too.
 * Refuses `notFound`, and `conflict` for a run that has ended.
 */
export async function cancelRun(tx: Transaction, services: Services, asked: OfRun): Promise<void> {
  const run = await lockRun(tx, asked)
  if (isDone(run.state)) throw refuse.conflict("this workflow run has ended")
  await publishingChanges(tx, services, [run.id], () => cancelJobs(tx, services, run.id))
}

/** Cancels all runs of a repository at once: none of their jobs starts any more, whatever its condition. */
export async function cancelAll(tx: Transaction, services: Services, repositoryId: number): Promise<void> {
  for (const { id, checked_commit } of await findUnfinished(tx, { repositoryId })) {
    const cancel = async () => {
      await changeRun(tx, id, { is_cancelled: 1 })
      await cancelJobs(tx, services, id)
    }
    // Of one that was taken over no commit is known that others could be told of.
    await (checked_commit === "{}" ? cancel() : publishingChanges(tx, services, [id], cancel))
  }
}

/** Approves a run, so that its jobs start. Refuses `notFound`, and `conflict` for a run that needs no approval. */
export async function approveRun(tx: Transaction, services: Services, asked: OfRun): Promise<void> {
  const run = await lockRun(tx, asked)
  if (run.needs_approval === 0 || isDone(run.state)) throw refuse.conflict("this workflow run doesn't wait for an approval")
  await publishingChanges(tx, services, [run.id], async () => {
    await changeRun(tx, run.id, { needs_approval: 0 })
    await enterGroupAgain(tx, services, { ...run, needs_approval: 0 })
    await updateRun(tx, services, run.id)
  })
}
