import type { DomainEvent } from "../../../core/events/event.ts"
import type { Delivery, Listener } from "../../../core/events/events.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import { t, type Words } from "../../../core/language/message.ts"
import { storedWords } from "../../../core/language/stored.ts"
import { branchOf } from "../../../git/index.ts"
import { advance, leaving } from "./kinds.ts"
import { dropTrial } from "./leaving.ts"
import { findEntryOfIssue, findQueueOf, findQueuesIn, findTestedBy, renameQueue } from "./listener-store.ts"

/** Pull requests leave queues when they are no longer what lined up, and queues are looked at when something has changed that they wait for. All but names is left to jobs. */
export const queues: Listener = {
  name: "merge queues",
  async hear(delivery) {
    for (const event of delivery.events) await hear(delivery, event)
  },
}

async function hear(delivery: Delivery, event: DomainEvent): Promise<void> {
  const { tx, services } = delivery
  switch (event.kind) {
    case "pull.pushed":
      if (event.before !== null) await changed(delivery, event, t("new commits were pushed"))
      break
    case "pull.merged":
      await changed(delivery, event, t("it was merged"))
      break
    case "issue.closed":
      if (event.issue.is_pull === 1) await changed(delivery, event, t("it was closed"))
      break
    case "issue.edited":
      if (event.issue.is_pull === 1 && event.changes.base) await changed(delivery, event, t("it has another base now"))
      else if (event.issue.is_pull === 1 && event.changes.title) await changed(delivery, event)
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
    case "repository.deleted":
      if (event.mayBeRestored)
        for (const queue of await findQueuesIn(tx, { repositoryId: event.repository.id })) await dropTrial(tx, services, queue)
      break
    case "repository.restored":
      for (const { id } of await findQueuesIn(tx, { repositoryId: event.repository.id })) await look(delivery, id)
      break
    case "branch.renamed":
      await renameQueue(tx, event.repository.id, event.from, event.to)
      break
  }
}

const look = ({ tx, services: { jobs } }: Delivery, queueId: number): Promise<void> => enqueueOnce(tx, jobs, advance, { queueId })

interface About {
  readonly issue: { readonly id: number }
  readonly actor: { readonly id: number }
}

/** Something has changed about a pull request: with a reason it leaves, without one its queue decides. */
async function changed(delivery: Delivery, { issue, actor }: About, reason?: Words): Promise<void> {
  const entry = await findEntryOfIssue.first(delivery.tx, { issueId: issue.id })
  if (!entry) return
  if (reason === undefined) return look(delivery, entry.queue_id)
  await delivery.services.jobs.enqueue(delivery.tx, leaving, {
    entryId: entry.id,
    issueId: issue.id,
    actorId: actor.id,
    reason: storedWords(reason),
  })
}
