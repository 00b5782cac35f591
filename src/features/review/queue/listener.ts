import type { DomainEvent } from "../../../core/events/event.ts"
import type { Delivery, Listener } from "../../../core/events/events.ts"
import { branchOf } from "../../../git/index.ts"
import { findEntryOfIssue, findQueue, findQueueOf, findQueuesIn, findTestedBy, renameQueue } from "./store.ts"

/** Takes pull requests out of queues that are no longer what lined up, and has queues looked at when something has changed that they wait for. */
export const queues: Listener = {
  name: "merge queues",
  async hear(delivery) {
    for (const event of delivery.events) await hear(delivery, event)
  },
}

async function hear(delivery: Delivery, event: DomainEvent): Promise<void> {
  const { tx } = delivery
  switch (event.kind) {
    case "pull.pushed":
      if (event.before !== null) await changed(delivery, event, "new commits were pushed")
      break
    case "pull.merged":
      await changed(delivery, event, "it was merged")
      break
    case "issue.closed":
      if (event.issue.is_pull === 1) await changed(delivery, event, "it was closed")
      break
    case "issue.edited":
      if (event.issue.is_pull === 1 && (event.changes.base || event.changes.title))
        await changed(delivery, event, event.changes.base && "it has another base now")
      break
    case "review.submitted":
    case "review.dismissed":
      await changed(delivery, event)
      break
    case "commit.checked":
      for (const { id } of await findTestedBy(tx, { repositoryId: event.repositoryId, commitId: event.commit.id })) await look(delivery, id)
      break
    case "protection.changed":
      for (const { id } of await findQueuesIn(tx, { repositoryId: event.repositoryId })) await look(delivery, id)
      break
    case "reference.moved":
    case "reference.removed": {
      const branch = branchOf(event.ref)
      const queue = branch === undefined ? undefined : await findQueueOf.first(tx, { repositoryId: event.repository.id, branch })
      if (queue) await look(delivery, queue.id)
      break
    }
    case "branch.renamed":
      await renameQueue(tx, event.repository.id, event.from, event.to)
      break
  }
}

async function look({ tx, services }: Delivery, queueId: number): Promise<void> {
  const { advanceSoon } = await import("./trials.ts")
  await advanceSoon(tx, services, queueId)
}

interface About {
  readonly issue: { readonly id: number; readonly repository_id: number }
  readonly actor: { readonly id: number }
}

/** Something has changed about a pull request: with a reason it leaves, without one its queue decides. What is being landed can't be stopped. */
async function changed(delivery: Delivery, { issue, actor }: About, reason?: string): Promise<void> {
  const { tx, services } = delivery
  const entry = await findEntryOfIssue.first(tx, { issueId: issue.id })
  if (!entry) return
  const queue = await findQueue.first(tx, { id: entry.queue_id })
  if (!queue) return
  const { leave, lockQueue, openTrial } = await import("./trials.ts")
  if (reason === undefined) return look(delivery, queue.id)
  const locked = await lockQueue(tx, queue)
  if (!locked || (entry.trial_id !== 0 && !(await openTrial(tx, queue.id)))) return
  await leave(tx, services, { queue: locked, entry, issueId: issue.id, actor, reason })
}
