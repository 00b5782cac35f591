import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { findEntries, findEntryById, findQueue, type Queue } from "./store.ts"
import { endTrial, freeEntries, leave, lockQueue, openTrial } from "./trials.ts"

export interface Left {
  readonly entryId: number
  readonly issueId: number
  readonly actorId: number
  readonly reason: string
}

/** Takes out a pull request to which something has happened. One that is being landed stays: if that fails, its queue finds out what it is by then. */
export async function leaveQueue(services: Services, { entryId, issueId, actorId, reason }: Left): Promise<void> {
  await services.database.write(async (tx) => {
    const known = await findEntryById.first(tx, { id: entryId })
    const queue = known && (await findQueue.first(tx, { id: known.queue_id }))
    const locked = queue && (await lockQueue(tx, queue))
    const entry = await findEntryById.first(tx, { id: entryId })
    if (!locked || !entry || (entry.trial_id !== 0 && !(await openTrial(tx, locked.id)))) return
    await leave(tx, services, { queue: locked, entry, issueId, actor: { id: actorId }, reason })
  })
}

/** Gives up what a queue tests, because its repository is deleted: who has lined up waits, and is tested anew once it is restored. */
export async function dropTrial(tx: Transaction, services: Services, queue: Queue): Promise<void> {
  const locked = await lockQueue(tx, queue)
  const trial = locked && (await openTrial(tx, queue.id))
  if (!trial) return
  const parts = (await findEntries(tx, { queueId: queue.id })).filter(({ trial_id }) => trial_id === trial.id)
  await endTrial(tx, services, locked, trial, { state: "dropped", reason: "the repository was deleted" })
  await freeEntries(tx, parts)
}
