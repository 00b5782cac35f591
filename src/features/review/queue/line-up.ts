import { Mode } from "../../../access/modes.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { flag } from "../../../core/database/tables/index.ts"
import { refuse } from "../../../core/errors.ts"
import { publish } from "../../../core/events/publish.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { queueStyle } from "../../code/protections/present.ts"
import { mayMerge, type Protection } from "../../code/protections/rules.ts"
import { ACTIONS_USER } from "../../people/users/present.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { type Merging, requireMerger, requireOpen, requireReady } from "../merging/checks.ts"
import { dropSchedule } from "../pulls/scheduled-merge.ts"
import { findMergeUnderWay } from "../pulls/schedules-store.ts"
import { findPull } from "../pulls/store.ts"
import { findQueueOf } from "./listener-store.ts"
import {
  countEntries,
  countQueuedSince,
  type Entry,
  findEntry,
  insertEntry,
  insertQueue,
  type Queue,
  updateEntries,
  updateQueue,
} from "./store.ts"
import { advanceSoon, leave, lockQueue, openTrial } from "./trials.ts"

/** Lining up and leaving, and what maintainers decide about a queue. */

/** The most pull requests in one queue. */
const LONGEST_QUEUE = 500

/** How often one pull request may line up within so many seconds: each time a trial may be built and tested. */
const MOST_TIMES = 10
const WITHIN = 600

export interface LineUp {
  /** The commit that the caller takes for the head; "" for any. */
  readonly headId: string
  /** Whether the head branch is deleted afterwards; undefined for the repository's default. */
  readonly deleteBranch: boolean | undefined
}

/**
 * Lines a pull request up, as it is now: only this head is merged. Refuses what a merge refuses but for missing checks, since the queue tests the merge itself;
 * `methodNotAllowed` where the base has no queue; `conflict` another head than the given one, one that has lined up, and one that is being merged;
 * `tooMany` where the queue is full or the same pull request lines up again and again; `forbidden` for the tokens of jobs.
 */
export async function lineUp(services: Services, found: Merging, { headId, deleteBranch }: LineUp): Promise<Entry> {
  const { pull, me, repository } = found
  const { database, now } = services
  requireOpen(found)
  if (me.id === ACTIONS_USER.id) throw refuse.forbidden("a job may not line up a pull request: whoever does so merges it later")
  const protection = await requireQueue(services, found)
  if (headId !== "" && headId !== pull.head_id) throw refuse.conflict("head out of date")
  await requireReady(services, found, { protection, style: queueStyle(protection), force: false, later: false, isQueued: true })
  const since = now() - WITHIN
  return database.write(async (tx) => {
    await lockForIssues(tx, repository.id)
    const issue = await lockIssue(tx, found.issue)
    await lockRow(tx, "pulls", pull.id)
    const current = await findPull.first(tx, { id: pull.id })
    if (
      !current ||
      current.is_merged === 1 ||
      issue.is_closed === 1 ||
      current.head_id !== pull.head_id ||
      current.base_branch !== pull.base_branch
    )
      throw refuse.conflict("the pull request was changed meanwhile")
    if (await findMergeUnderWay.first(tx, { pullId: pull.id })) throw refuse.conflict("the pull request is being merged")
    const times = (await countQueuedSince.first(tx, { issueId: issue.id, since }))?.total ?? 0
    if (times >= MOST_TIMES) throw refuse.tooSoon(t`this pull request has lined up ${times} times in ten minutes`, WITHIN)
    const queue = await queueFor(tx, repository.id, pull.base_branch)
    if (((await countEntries.first(tx, { queueId: queue.id }))?.total ?? 0) >= LONGEST_QUEUE)
      throw refuse.tooMany(t`the queue has ${LONGEST_QUEUE} pull requests already`)
    const wishes = deleteBranch ?? repository.default_delete_branch_after_merge === 1
    const row = { queueId: queue.id, pullId: pull.id, userId: me.id, headId: pull.head_id, deleteBranch: flag(wishes), now: now() }
    if ((await insertEntry.changes(tx, row)) === 0) throw refuse.conflict("the pull request has lined up already")
    await dropSchedule(tx, { pullId: pull.id, issue, actor: me, now: now() })
    publish(tx, { kind: "queue.queued", issue, actor: me, branch: queue.branch, at: now() })
    await advanceSoon(tx, services, queue.id)
    return entryOf(tx, pull.id)
  })
}

async function requireQueue({ database }: Services, found: Merging): Promise<Protection> {
  const protection = await requireMerger(database.read, found)
  if (protection?.enable_merge_queue !== 1) throw refuse.methodNotAllowed("the base branch has no merge queue")
  return protection
}

/** The queue of a branch, locked. */
async function queueFor(tx: Transaction, repositoryId: number, branch: string): Promise<Queue> {
  await insertQueue(tx, { repositoryId, branch })
  const found = await findQueueOf.first(tx, { repositoryId, branch })
  const queue = found && (await lockQueue(tx, found))
  if (!queue) throw refuse.notFound()
  return queue
}

async function entryOf(tx: Transaction, pullId: number): Promise<Entry> {
  const entry = await findEntry.first(tx, { pullId })
  if (!entry) throw refuse.notFound()
  return entry
}

/** Takes a pull request out. Refuses `notFound` where it hasn't lined up, `forbidden` for who neither lined it up nor may merge, `conflict` while it lands. */
export async function withdraw(services: Services, found: Merging, protection: Protection | undefined): Promise<void> {
  const { pull, me, issue } = found
  const mayTakeOut = await mayMerge(services.database.read, protection, found, me)
  await services.database.write(async (tx) => {
    await lockForIssues(tx, found.repository.id)
    const { entry, queue } = await lockEntry(tx, found)
    if (entry.user_id !== me.id && !mayTakeOut && issue.author_id !== me.id)
      throw refuse.forbidden("only its author, who lined it up, and who may merge, may take it out of the queue")
    if (entry.trial_id !== 0 && !(await openTrial(tx, queue.id))) throw refuse.conflict("the pull request is being merged")
    await leave(tx, services, { queue, entry, issueId: pull.issue_id, actor: me, reason: "" })
  })
}

async function lockEntry(tx: Transaction, { pull, repository }: Merging): Promise<{ entry: Entry; queue: Queue }> {
  const known = await findEntry.first(tx, { pullId: pull.id })
  const queue = known && (await lockQueue(tx, { id: known.queue_id, repository_id: repository.id }))
  if (!queue) throw refuse.notFound()
  return { entry: await entryOf(tx, pull.id), queue }
}

/** Gives a pull request another priority; a trial that has begun goes on. For administrators of the repository: refuses `forbidden`; `notFound` where it hasn't lined up. */
export async function prioritise(services: Services, found: Merging, priority: number): Promise<Entry> {
  if (found.permission.mode < Mode.admin) throw refuse.forbidden("only who administers the repository decides about priorities")
  const { pull, me } = found
  return services.database.write(async (tx) => {
    await lockForIssues(tx, found.repository.id)
    const { entry, queue } = await lockEntry(tx, found)
    if (entry.priority === priority) return entry
    await updateEntries(tx, [entry.id], { priority })
    const issue = { id: pull.issue_id, repository_id: queue.repository_id }
    publish(tx, { kind: "queue.prioritised", issue, actor: me, branch: queue.branch, priority, at: services.now() })
    return entryOf(tx, pull.id)
  })
}

export interface Freeze {
  readonly repositoryId: number
  readonly branch: string
  /** Whether nothing lands. */
  readonly isFrozen: boolean
  readonly reason: string
  readonly actor: User
}

/** Stops a queue, or lets it go on. What is being landed at this moment lands. */
export async function freeze(services: Services, { repositoryId, branch, isFrozen, reason, actor }: Freeze): Promise<void> {
  const at = services.now()
  await services.database.write(async (tx) => {
    await lockForIssues(tx, repositoryId)
    const queue = await queueFor(tx, repositoryId, branch)
    const words = isFrozen ? reason : ""
    if ((queue.is_frozen === 1) === isFrozen && queue.frozen_reason === words) return
    const by = { frozen_by_id: isFrozen ? actor.id : 0, frozen_at: isFrozen ? at : 0 }
    await updateQueue(tx, queue.id, { is_frozen: flag(isFrozen), frozen_reason: words, ...by })
    const kind = isFrozen ? "queue.frozen" : "queue.unfrozen"
    publish(tx, { kind, repositoryId, branch, reason: words, actor, at })
    await advanceSoon(tx, services, queue.id)
  })
}
