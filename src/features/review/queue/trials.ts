import type { Owned } from "../../../access/permission.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { publish } from "../../../core/events/publish.ts"
import { enqueueOnce } from "../../../core/jobs/once.ts"
import type { Services } from "../../../core/services.ts"
import { type ObjectId, type RefName, type Repository, refName } from "../../../git/index.ts"
import type { Protection } from "../../code/protections/rules.ts"
import { standIn } from "../../people/users/present.ts"
import { advance, removeTrialRef } from "./kinds.ts"
import { type Entry, findLanding, findOpenTrial, type Queue, removeEntry, type Trial, updateEntries, updateTrial } from "./store.ts"

/** What ends trials and takes pull requests out of a queue. All of it is one transaction, with the queue locked. */

/** A queue with what decides about it. */
export interface OnQueue extends Owned {
  readonly queue: Queue
  readonly rule: Protection
  readonly git: Repository
  /** The commit of the branch. */
  readonly tip: ObjectId
}

/** The reference of a trial, which the service alone writes. */
export const trialRef = ({ id }: Pick<Trial, "id">): RefName => refName(`refs/queue/${id}`)

/** Locks a queue, always after its repository; undefined where one of them is gone. */
export async function lockQueue(tx: Transaction, { id, repository_id }: Pick<Queue, "id" | "repository_id">): Promise<Queue | undefined> {
  if (!(await lockRow(tx, "repositories", repository_id))) return undefined
  return lockRow(tx, "merge_queues", id)
}

/** The open trial of a locked queue; undefined also while it is being landed, since nothing can be changed about it then. */
export async function openTrial(tx: Transaction, queueId: number): Promise<Trial | undefined> {
  const trial = await findOpenTrial.first(tx, { queueId })
  return trial && !(await findLanding.first(tx, { trialId: trial.id })) ? trial : undefined
}

interface Ended {
  readonly state: "landed" | "failed" | "dropped"
  /** Stored words; "" where it landed. */
  readonly reason: string
}

/** Ends a trial of a locked queue: its pull requests wait for the next one, and its reference is removed. */
export async function endTrial(tx: Transaction, services: Services, queue: Queue, trial: Trial, { state, reason }: Ended): Promise<void> {
  const at = services.now()
  const ended = { ...trial, state, reason, ended_at: at }
  await updateTrial(tx, trial.id, { state, reason, ended_at: at })
  const kind = `queue.${state}` as const
  publish(tx, {
    kind,
    repositoryId: queue.repository_id,
    branch: queue.branch,
    ref: trialRef(trial),
    trial: ended,
    actor: await actorOf(tx, trial),
    at,
  })
  await services.jobs.enqueue(tx, removeTrialRef, { trialId: trial.id })
  await advanceSoon(tx, services, queue.id)
}

/** In whose name things happen to a trial. */
export const actorOf = async (tx: Transaction, { actor_id: id }: Trial): Promise<User> =>
  (await findUserById.first(tx, { id })) ?? standIn(id)

/** Lets the entries of a trial wait for another one, with at most `span` together; 0 changes nothing about that. */
export const freeEntries = (tx: Transaction, entries: readonly Entry[], span = 0): Promise<void> =>
  updateEntries(
    tx,
    entries.map(({ id }) => id),
    { trial_id: 0, commit_id: "", ...(span > 0 && { span }) },
  )

export interface Leaving {
  readonly queue: Queue
  readonly entry: Entry
  readonly issueId: number
  readonly actor: Pick<User, "id">
  /** Stored words; "" where the actor took it out. */
  readonly reason: string
}

/** Takes a pull request out of a locked queue, unless it is gone already. The trial that it is part of is built anew without it. */
export async function leave(tx: Transaction, services: Services, { queue, entry, issueId, actor, reason }: Leaving): Promise<void> {
  if ((await removeEntry.changes(tx, { id: entry.id })) === 0) return
  const issue = { id: issueId, repository_id: queue.repository_id }
  publish(tx, { kind: "queue.removed", issue, actor, branch: queue.branch, reason, at: services.now() })
  await advanceSoon(tx, services, queue.id)
}

/** Has a queue looked at after the commit. */
export const advanceSoon = (tx: Transaction, { jobs }: Pick<Services, "jobs">, queueId: number): Promise<void> =>
  enqueueOnce(tx, jobs, advance, { queueId })

/** Removes the reference of an ended trial. */
export async function removeReference(services: Services, trial: Trial, queue: Queue): Promise<void> {
  const { database, git } = services
  const row = await findRepositoryById.first(database.read, { id: queue.repository_id })
  if (!row) return
  const repository = git.at(row.storage, row.object_format)
  const name = trialRef(trial)
  if ((await git.references.resolve(repository, name)) !== undefined) await git.references.update(repository, [{ name, to: null }])
}
