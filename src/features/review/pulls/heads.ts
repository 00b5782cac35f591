import type { Pull } from "../../../access/policies/pulls.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { publish } from "../../../core/events/publish.ts"
import type { Services } from "../../../core/services.ts"
import type { ObjectId, Repository } from "../../../git/index.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { touchIssue } from "../../planning/issues/touch-store.ts"
import { type Comparison, compareReviews, refreshStale } from "../reviews/stale.ts"
import { type Assessment, assess, assessedColumns, comparedWith } from "./mergeability.ts"
import type { PushedCommits } from "./pushed.ts"
import { alignPull, bringCommit, ensurePullRefs, type Head } from "./refs.ts"
import { type AssessedColumns, replaceHead } from "./store.ts"

/** The new head of a pull request, with its assessment. */
export interface NewHead {
  readonly pull: Pull
  readonly id: ObjectId
  /** Undefined where the base branch is gone. */
  readonly assessment: Assessment | undefined
  readonly comparison: Comparison | undefined
}

export interface HeadLocation {
  readonly pull: Pull
  readonly number: number
  /** The base repository. */
  readonly base: Repository
  readonly head: Head
}

/**
 * Copies a head into the base repository, writes the references, and assesses it: for merging, and for the reviews of the head before. Runs git
 * processes: not for inside of a transaction.
 */
export async function assessHead(services: Services, { pull, number, base, head }: HeadLocation): Promise<NewHead> {
  await bringCommit(services, head, base)
  const assessed = await assessCommit(services, { pull, base, id: head.id })
  const { assessment } = assessed
  await ensurePullRefs(services, base, { pullId: pull.id, number, headId: head.id, ...(assessment && { assessment }) })
  return assessed
}

/** Assesses a commit that is in the base repository as the head of a pull request. Runs git processes. */
export async function assessCommit(
  services: Services,
  { pull, base, id }: Pick<HeadLocation, "pull" | "base"> & { readonly id: ObjectId },
): Promise<NewHead> {
  const { git } = services
  const baseId = await comparedWith(git, base, pull)
  const assessment = baseId === undefined ? undefined : await assess(git, base, baseId, id)
  const comparison = await compareReviews(services, { pull, repository: base, headId: id, mergeBase: assessment?.mergeBase })
  return { pull, id, assessment, comparison }
}

export interface HeadPush {
  readonly pusher: User
  /** The pushed commits, for the timeline and notifications; left out where no notifications are sent. */
  readonly pushed?: PushedCommits
  readonly now: Seconds
}

/**
 * Stores the new head of a pull request, with the effects on its reviews and timeline, and notifies. One that is closed by now stays as it is. Where
 * the head has been moved meanwhile, a job finds out which of the two is right.
 */
export async function writeHead(tx: Transaction, services: Services, head: NewHead, { pusher, pushed, now }: HeadPush): Promise<void> {
  const { pull, assessment, comparison } = head
  const home = await findRepositoryById.first(tx, { id: pull.repository_id })
  const owner = home && (await findUserById.first(tx, { id: home.owner_id }))
  if (!home || !owner || home.is_archived === 1) return
  const repository = await lockForIssues(tx, home.id)
  const issue = await lockIssue(tx, { id: pull.issue_id, repository_id: pull.repository_id })
  if (issue.is_closed === 1) return
  const moved = await replaceHead.first(tx, { ...columnsOf(head), id: pull.id, before: pull.head_id })
  if (moved) await refreshStale(tx, { issue, pull: moved, repository, owner, comparison, pusher, now })
  else await services.jobs.enqueue(tx, alignPull, { pullId: pull.id })
  if (!pushed) return
  await touchIssue(tx, issue, now)
  const { commits, isForced } = pushed
  publish(tx, {
    kind: "pull.pushed",
    issue,
    repository,
    owner,
    actor: pusher,
    before: pull.head_id,
    after: head.id,
    commits,
    isForced,
    at: now,
  })

  function columnsOf({ id }: NewHead): AssessedColumns {
    if (assessment) return assessedColumns(assessment)
    const { base_id, merge_base, conflicted_files, additions, deletions, changed_files, commits_ahead, commits_behind } = pull
    const kept = { base_id, merge_base, conflicted_files, additions, deletions, changed_files, commits_ahead, commits_behind }
    return { ...kept, head_id: id, mergeability: "checking" }
  }
}
