import type { Services } from "../../../core/services.ts"
import { findEntryById, findQueue } from "./store.ts"
import { leave, lockQueue, openTrial } from "./trials.ts"

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
