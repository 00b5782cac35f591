import { randomUUID } from "node:crypto"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import type { Services } from "../../../core/services.ts"
import { removeActionFolderJob } from "../files/files.ts"
import { type Heard, heardOf, heardOfPull } from "./heard.ts"
import { findListening } from "./listening.ts"
import { startForEventJob } from "./on-event.ts"
import { startForPullJob } from "./on-pull.ts"
import { readSchedulesJob } from "./schedules.ts"

/**
 * Starts workflows for events besides pushes, and describes the default branch again when the repository changes. All read files from git, so
 * they are done by jobs after the commit.
 */
export const workflows: Listener = {
  name: "workflows",
  async hear({ tx, services, events }) {
    const { jobs } = services
    for (const event of events) {
      if (event.kind === "repository.deleted") await jobs.enqueue(tx, removeActionFolderJob, { storage: event.repository.storage })
      if (changesSchedules(event)) await jobs.enqueue(tx, readSchedulesJob, { repositoryId: event.repository.id })
      for (const { events: names, types, ...heard } of heardOfPull(event))
        await jobs.enqueue(tx, startForPullJob, { cause: randomUUID(), events: [...names], types: [...types], ...heard })
    }
    await startFor(tx, services, heardOf(events))
  },
}

/** Whether the default branch has changed, or actions may have been switched on again. */
const changesSchedules = (event: DomainEvent): event is EventOf<"repository.edited" | "branch.renamed"> =>
  (event.kind === "repository.edited" && event.changed.some((column) => column === "default_branch" || column === "has_actions")) ||
  (event.kind === "branch.renamed" && event.repository.default_branch === event.to)

/** Enqueues what workflows of the default branch listen to, and what those of other references may listen to. */
async function startFor(tx: Transaction, services: Services, heard: readonly Heard[]): Promise<void> {
  const known = new Map<string, Promise<boolean>>()
  for (const each of heard) {
    const { event, repositoryId, actorId, ref, trigger, title = "", runId = 0 } = each
    const key = `${event} ${repositoryId}`
    const listens = known.get(key) ?? (ref === undefined ? isListening(tx, repositoryId, event) : Promise.resolve(true))
    known.set(key, listens)
    if (!(await listens)) continue
    const repository = await findRepositoryById.first(tx, { id: repositoryId })
    const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
    if (!owner || repository.has_actions === 0 || repository.is_archived === 1) continue
    const payload = JSON.stringify(await each.payload(tx, services, { repository, owner }))
    const about = {
      cause: randomUUID(),
      event,
      repositoryId,
      actorId,
      ref: ref ?? "",
      trigger: JSON.stringify(trigger),
      title,
      runId,
      payload,
    }
    await services.jobs.enqueue(tx, startForEventJob, about)
  }
}

const isListening = async (tx: Transaction, repositoryId: number, event: string): Promise<boolean> =>
  (await findListening.first(tx, { repositoryId, event })) !== undefined
