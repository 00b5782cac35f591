import { randomUUID } from "node:crypto"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { DomainEvent, EventOf } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"
import type { Services } from "../../../core/services.ts"
import { findKeptRepository } from "../../code/deletions/store.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { type External, externalOf, repositoryOf } from "../external/events.ts"
import { removeActionFolderJob } from "../files/files.ts"
import { cancelAll } from "../runs/rules.ts"
import { startForEventJob } from "./on-event.ts"
import { startForPullJob } from "./on-pull.ts"
import { readSchedulesJob } from "./schedules.ts"
import { findListening } from "./store.ts"
import { cancelTrialRunsJob } from "./trial-runs.ts"

/**
 * Starts workflows for events besides pushes, and describes the default branch again when the repository changes. All read files from git, so
 * they are done by jobs after the commit.
 */
export const workflows: Listener = {
  name: "workflows",
  onlyTells: true,
  async hear({ tx, services, events }) {
    const { jobs } = services
    const heard: Heard[] = []
    for (const event of events) {
      if (event.kind === "repository.deleted") await forget(tx, services, event)
      if (changesSchedules(event)) await jobs.enqueue(tx, readSchedulesJob, { repositoryId: event.repository.id })
      const actorId = "actor" in event ? event.actor?.id : undefined
      const repositoryId = repositoryOf(event)
      if (actorId === undefined || repositoryId === undefined) continue
      // What the service did with the token of a job, or by itself, starts nothing but what waits for a run: otherwise workflows could start themselves for ever.
      if (event.kind === "queue.failed" || event.kind === "queue.dropped")
        await jobs.enqueue(tx, cancelTrialRunsJob, { repositoryId: event.repositoryId, ref: event.ref })
      if (actorId === ACTIONS_USER.id && event.kind !== "run.changed") continue
      for (const { workflow, pull, payload } of externalOf(event)) {
        if (pull) {
          const { events: names, types, ...about } = pull
          await jobs.enqueue(tx, startForPullJob, { cause: randomUUID(), events: [...names], types: [...types], ...about, actorId })
        }
        if (workflow) heard.push({ ...workflow, repositoryId, actorId, payload })
      }
    }
    await startFor(tx, services, withPagesTogether(heard))
  },
}

/** Runs of a deleted repository end; its files go with it, unless it can be restored. */
async function forget(tx: Transaction, services: Services, { repository }: EventOf<"repository.deleted">): Promise<void> {
  const { id, storage } = repository
  if (await findKeptRepository.first(tx, { repositoryId: id })) await cancelAll(tx, services, id)
  else await services.jobs.enqueue(tx, removeActionFolderJob, { storage })
}

/** Whether the default branch has changed, or actions may have been switched on again. */
const changesSchedules = (event: DomainEvent): event is EventOf<"repository.edited" | "repository.restored" | "branch.renamed"> =>
  event.kind === "repository.restored" ||
  (event.kind === "repository.edited" && event.changed.some((column) => column === "default_branch" || column === "has_actions")) ||
  (event.kind === "branch.renamed" && event.repository.default_branch === event.to)

type Heard = NonNullable<External["workflow"]> & Pick<External, "payload"> & { readonly repositoryId: number; readonly actorId: number }

/** The changed pages of a wiki are told of together: a transaction changes those of one. */
function withPagesTogether(heard: readonly Heard[]): readonly Heard[] {
  const pages = heard.filter(({ event }) => event === "gollum")
  const [first] = pages
  if (!first) return heard
  const payload: Heard["payload"] = async (...to) => {
    const all = await Promise.all(pages.map((page) => page.payload(...to)))
    return { ...all[0], pages: all }
  }
  return [...heard.filter((each) => !pages.includes(each)), { ...first, payload }]
}

/** Enqueues what workflows of the default branch listen to, and what those of other references may listen to. */
async function startFor(tx: Transaction, services: Services, heard: readonly Heard[]): Promise<void> {
  const known = new Map<string, Promise<boolean>>()
  for (const each of heard) {
    const { event, repositoryId, actorId, ref, trigger = {}, title = "", runId = 0 } = each
    const key = `${event} ${repositoryId}`
    const listens = known.get(key) ?? (ref === undefined ? isListening(tx, repositoryId, event) : Promise.resolve(true))
    known.set(key, listens)
    if (!(await listens)) continue
    const repository = await findRepositoryById.first(tx, { id: repositoryId })
    const owner = repository && (await findUserById.first(tx, { id: repository.owner_id }))
    if (!owner || repository.has_actions === 0 || repository.is_archived === 1) continue
    const payload = JSON.stringify(await each.payload(tx, services, { repository, owner }))
    const about = { event, repositoryId, actorId, ref: ref ?? "", trigger: JSON.stringify(trigger), title, runId, payload }
    await services.jobs.enqueue(tx, startForEventJob, { cause: randomUUID(), ...about })
  }
}

const isListening = async (tx: Transaction, repositoryId: number, event: string): Promise<boolean> =>
  (await findListening.first(tx, { repositoryId, event })) !== undefined
