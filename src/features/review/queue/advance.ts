import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { Refusal } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t, type Words } from "../../../core/language/message.ts"
import { storedWords } from "../../../core/language/stored.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, objectId } from "../../../git/index.ts"
import { queueStyle } from "../../code/protections/present.ts"
import { findProtection, type Protection } from "../../code/protections/rules.ts"
import { findLastNumber } from "../../code/statuses/store.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { findPull } from "../pulls/store.ts"
import { type Combination, combine, type Unfit, whyNot } from "./combine.ts"
import { advance, trialIsDue } from "./kinds.ts"
import { land } from "./land.ts"
import { numbersOf } from "./numbers.ts"
import {
  type Entry,
  findEntries,
  findOpenTrial,
  findQueue,
  insertTrial,
  type Queue,
  removeEntry,
  type Trial,
  updateEntries,
  updateTrial,
} from "./store.ts"
import { actorOf, endTrial, freeEntries, leave, lockQueue, type OnQueue, openTrial, trialRef } from "./trials.ts"
import { judge } from "./verdict.ts"

/**
 * What a queue does next. Everything that is decided is a row, written in a transaction that looks again whether it is still so: any number of processes may do this at
 * once, and one that dies leaves what another goes on with.
 */

/** The most steps of one job: then another one goes on. */
const MOST_STEPS = 20
/** After how many seconds a queue is looked at again whose branch could not be moved. */
const SOON = 5

/** Takes the steps of a queue until it has to wait for something. */
export async function advanceQueue(services: Services, queueId: number, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    if (signal.aborted) return
    if (!(await takeStep(services, queueId))) return
  }
  await services.database.write(async (tx) => void (await services.jobs.enqueue(tx, advance, { queueId })))
}

/** One step; false where there is nothing to do for now. */
async function takeStep(services: Services, queueId: number): Promise<boolean> {
  const { database, git } = services
  const db = database.read
  const queue = await findQueue.first(db, { id: queueId })
  const row = queue && (await findRepositoryById.first(db, { id: queue.repository_id }))
  const owner = row && (await findUserById.first(db, { id: row.owner_id }))
  // What an archived repository has in its queues waits until it is none.
  if (!owner || row.is_archived === 1) return false
  const rule = await findProtection(db, row.id, queue.branch)
  if (rule?.enable_merge_queue !== 1) return dissolve(services, queue, t("the branch has no merge queue any more"))
  const repository = git.at(row.storage, row.object_format)
  const tip = await git.references.resolve(repository, branchRef(queue.branch))
  if (tip === undefined) return dissolve(services, queue, t("the branch is gone"))
  const on: OnQueue = { queue, rule, repository: row, owner, git: repository, tip }
  const trial = await findOpenTrial.first(db, { queueId })
  return trial ? follow(services, on, trial) : begin(services, on)
}

/** Everyone leaves. */
async function dissolve(services: Services, queue: Queue, reason: Words): Promise<boolean> {
  return services.database.write(async (tx) => {
    const locked = await lockQueue(tx, queue)
    const entries = locked ? await findEntries(tx, { queueId: queue.id }) : []
    const known = locked && (await findOpenTrial.first(tx, { queueId: queue.id }))
    const trial = known && (await openTrial(tx, queue.id))
    if (!locked || (known && !trial) || (entries.length === 0 && !trial)) return false
    if (trial) await endTrial(tx, services, locked, trial, { state: "dropped", reason: storedWords(reason) })
    for (const entry of entries) await takeOut(tx, services, locked, { entry, issueId: undefined, reason })
    return true
  })
}

type Tx = Parameters<typeof leave>[0]

/** Takes out a pull request that can't be merged. */
async function takeOut(tx: Tx, services: Services, queue: Queue, { entry, issueId, reason }: Unfit): Promise<void> {
  const of = issueId ?? (await findPull.first(tx, { id: entry.pull_id }))?.issue_id
  if (of === undefined) await removeEntry(tx, { id: entry.id })
  else await leave(tx, services, { queue, entry, issueId: of, actor: ACTIONS_USER, reason: storedWords(reason) })
}

// --- the next trial ---------------------------------------------------------------------------------------------------------------

/** Builds the next trial; its commits have no reference before its row is there. */
async function begin(services: Services, on: OnQueue): Promise<boolean> {
  const { queue, rule, git: repository, tip } = on
  const entries = await findEntries(services.database.read, { queueId: queue.id })
  if (queue.is_frozen === 1 || entries.length === 0) return false
  const given = { repository, base: tip, branch: queue.branch, rule, style: queueStyle(rule) }
  return store(services, on, await combine(services, given, entries))
}

/** Stores a combination as the queue's trial, unless something has changed meanwhile: then it is thrown away. */
async function store(services: Services, { queue, tip }: OnQueue, { commitId, parts, unfit }: Combination): Promise<boolean> {
  return services.database.write(async (tx) => {
    const locked = await lockQueue(tx, queue)
    if (!locked || locked.is_frozen === 1 || (await findOpenTrial.first(tx, { queueId: queue.id }))) return false
    const there = new Map((await findEntries(tx, { queueId: queue.id })).map((entry) => [entry.id, entry]))
    for (const each of unfit) if (there.has(each.entry.id)) await takeOut(tx, services, locked, each)
    const [first] = parts
    if (!first) return unfit.length > 0
    if (!parts.every(({ entry }) => isSame(there.get(entry.id), entry))) return true
    const trial = await insertTrial(tx, {
      queue_id: queue.id,
      state: "building",
      base_id: tip,
      commit_id: commitId,
      numbers: JSON.stringify(parts.map(({ number }) => number)),
      actor_id: first.entry.user_id,
      created_at: services.now(),
    })
    for (const { entry, commitId: commit } of parts) await updateEntries(tx, [entry.id], { trial_id: trial.id, commit_id: commit })
    return true
  })
}

const isSame = (now: Entry | undefined, then: Entry): boolean =>
  now !== undefined && now.head_id === then.head_id && now.user_id === then.user_id && now.trial_id === 0

// --- the trial that there is ------------------------------------------------------------------------------------------------------

async function follow(services: Services, on: OnQueue, trial: Trial): Promise<boolean> {
  const { queue, rule, tip, git: repository } = on
  if (tip !== trial.base_id) return drop(services, queue, trial, t("the branch has moved"))
  const parts = (await findEntries(services.database.read, { queueId: queue.id })).filter(({ trial_id }) => trial_id === trial.id)
  if (parts.length !== numbersOf(trial).length) return drop(services, queue, trial, t("a pull request has left the queue"))
  const unfit = await firstUnfit(services, on, parts)
  if (unfit) return drop(services, queue, trial, t("a pull request has left the queue"), unfit)
  if (trial.state === "building") return show(services, on, trial)
  const verdict = await judge(services, on, rule, trial)
  if (verdict.kind === "failed") return fail(services, queue, trial, verdict.reason)
  if (verdict.kind === "waiting") {
    if (services.now() < dueAt(trial, rule)) return false
    const lacking = verdict.lacking.join(", ")
    return fail(services, queue, trial, t`required checks have not succeeded in ${rule.merge_queue_check_minutes} minutes: ${lacking}`)
  }
  if (trial.state === "testing") await pass(services, queue, trial)
  if (queue.is_frozen === 1) return false
  try {
    await land(services, on, trial, parts, repository)
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    services.log.info({ queue: queue.id, trial: trial.id, reason: error.message }, "a trial could not be landed yet")
    await services.database.write(async (tx) => {
      await services.jobs.enqueue(tx, trialIsDue, { queueId: queue.id, trialId: trial.id }, { runAt: services.now() + SOON })
    })
    return false
  }
}

const dueAt = (trial: Trial, rule: Protection): number => trial.created_at + rule.merge_queue_check_minutes * 60

async function firstUnfit(services: Services, { queue, rule }: OnQueue, parts: readonly Entry[]): Promise<Unfit | undefined> {
  for (const entry of parts) {
    const looked = await whyNot(services, { branch: queue.branch, style: queueStyle(rule) }, entry)
    if ("reason" in looked) return { entry, ...looked }
  }
  return undefined
}

/** Writes the reference of a trial, and has it tested. A process that died may have written it already. */
async function show(services: Services, { queue, rule, git: repository }: OnQueue, trial: Trial): Promise<boolean> {
  const { git, database, jobs, now } = services
  const to = objectId(trial.commit_id)
  if ((await git.objects.info(repository, to)) === undefined) return drop(services, queue, trial, t("its commits are gone"))
  const name = trialRef(trial)
  if ((await git.references.resolve(repository, name)) !== to) await git.references.update(repository, [{ name, to }])
  return database.write(async (tx) => {
    const locked = await lockQueue(tx, queue)
    const open = locked && (await openTrial(tx, queue.id))
    if (!open || open.id !== trial.id || open.state !== "building") return true
    const at = now()
    const last = await findLastNumber.first(tx, { repositoryId: queue.repository_id, commitId: to })
    const begun = { state: "testing", created_at: at, statuses_before: last?.number ?? 0 } as const
    await updateTrial(tx, trial.id, begun)
    const tested = { ...open, ...begun }
    const about = { repositoryId: queue.repository_id, branch: queue.branch, ref: name, trial: tested, actor: await actorOf(tx, trial), at }
    publish(tx, { kind: "queue.built", ...about })
    await jobs.enqueue(tx, trialIsDue, { queueId: queue.id, trialId: trial.id }, { runAt: dueAt(tested, rule) })
    return true
  })
}

/** Does something with a trial, in a transaction in which it is still open and nobody lands it. */
async function withOpen(
  services: Services,
  queue: Queue,
  trial: Trial,
  change: (tx: Tx, locked: Queue, entries: readonly Entry[]) => Promise<void>,
): Promise<boolean> {
  return services.database.write(async (tx) => {
    const locked = await lockQueue(tx, queue)
    const open = locked && (await openTrial(tx, queue.id))
    if (open?.id !== trial.id) return false
    const entries = await findEntries(tx, { queueId: queue.id })
    await change(tx, locked ?? queue, entries)
    return true
  })
}

/** Gives a trial up for something that says nothing about its commits. */
const drop = (services: Services, queue: Queue, trial: Trial, reason: Words, unfit?: Unfit): Promise<boolean> =>
  withOpen(services, queue, trial, async (tx, locked, entries) => {
    const parts = entries.filter(({ trial_id }) => trial_id === trial.id)
    await endTrial(tx, services, locked, trial, { state: "dropped", reason: storedWords(reason) })
    await freeEntries(tx, parts)
    if (unfit) await takeOut(tx, services, locked, unfit)
  })

/** Of several that fail together, halves are tried next; one that fails alone leaves. */
const fail = (services: Services, queue: Queue, trial: Trial, reason: Words): Promise<boolean> =>
  withOpen(services, queue, trial, async (tx, locked, entries) => {
    const parts = entries.filter(({ trial_id }) => trial_id === trial.id)
    await endTrial(tx, services, locked, trial, { state: "failed", reason: storedWords(reason) })
    await freeEntries(tx, parts, Math.ceil(parts.length / 2))
    const [only] = parts
    if (only && parts.length === 1) await takeOut(tx, services, locked, { entry: only, issueId: undefined, reason })
  })

const pass = (services: Services, queue: Queue, trial: Trial): Promise<boolean> =>
  withOpen(services, queue, trial, (tx) => updateTrial(tx, trial.id, { state: "passed" }))
