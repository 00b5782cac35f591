import type { Transaction } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, objectId, type Repository } from "../../../git/index.ts"
import { findProtection } from "../../code/protections/rules.ts"
import { moveReferences } from "../../code/pushes/server-push.ts"
import { unmetByReviews } from "../merging/checks.ts"
import { claimPull } from "../merging/merged.ts"
import { findPull } from "../pulls/store.ts"
import { type Entry, findEntries, type Trial, updateTrial } from "./store.ts"
import { lockQueue, type OnQueue, openTrial, trialRef } from "./trials.ts"

/** The most commits of a trial whose size is added to that of the repository. */
const MOST_COUNTED = 500

/**
 * Moves the branch of a queue from the commit that a trial was built on to the very commit that was tested. The pull requests become merged in the transaction of that push
 * (`on-push.ts`), also where this process dies in between. Refuses `conflict` where the branch has moved, and whatever has changed about the trial by then.
 */
export async function land(services: Services, on: OnQueue, trial: Trial, parts: readonly Entry[], repository: Repository): Promise<void> {
  const { queue, repository: row } = on
  const [oldId, newId] = [objectId(trial.base_id), objectId(trial.commit_id)]
  // What was tested is what its reference names, built on what the branch names.
  if ((await services.git.references.resolve(repository, trialRef(trial))) !== newId) throw isChanged()
  if (!(await services.git.history.isAncestor(repository, oldId, newId))) throw isChanged()
  const { commits } = await services.git.history.between(repository, {
    to: newId,
    from: oldId,
    limit: MOST_COUNTED,
    countAtMost: MOST_COUNTED,
  })
  const addedBytes = await services.git.objects.written(
    repository,
    commits.map(({ id }) => id),
  )
  await moveReferences(services, trial.actor_id, row, [{ ref: branchRef(queue.branch), oldId, newId }], {
    addedBytes,
    landing: { trialId: trial.id },
    claim: (tx, entryId) => claim(tx, on, trial, { parts, entryId }),
  })
}

interface Claiming {
  readonly parts: readonly Entry[]
  /** The journal entry of the push. */
  readonly entryId: number
}

/** Makes sure, in the transaction that announces the push, that all is as it was when the trial passed. From then on nothing about it can be changed. */
async function claim(tx: Transaction, { queue, repository }: OnQueue, trial: Trial, { parts, entryId }: Claiming): Promise<void> {
  const locked = await lockQueue(tx, { id: queue.id, repository_id: repository.id })
  const rule = await findProtection(tx, repository.id, queue.branch)
  if (!locked || locked.is_frozen === 1 || rule?.enable_merge_queue !== 1) throw isChanged()
  const open = await openTrial(tx, queue.id)
  if (open?.id !== trial.id || open.state !== "passed" || open.commit_id !== trial.commit_id) throw isChanged()
  const now = (await findEntries(tx, { queueId: queue.id })).filter(({ trial_id }) => trial_id === trial.id)
  if (now.length !== parts.length) throw isChanged()
  for (const entry of now.toSorted((one, other) => one.pull_id - other.pull_id)) {
    await claimPull(tx, { id: entry.pull_id, head_id: entry.head_id, base_branch: queue.branch }, { entryId, automatic: false })
    const pull = await findPull.first(tx, { id: entry.pull_id })
    if (!pull || (await unmetByReviews(tx, pull.issue_id, rule)) !== undefined) throw isChanged()
  }
  await updateTrial(tx, trial.id, { landing_entry: entryId })
}

/** The queue looks again, and finds what it is. */
const isChanged = () => refuse.conflict("the queue or its pull requests have changed meanwhile")
