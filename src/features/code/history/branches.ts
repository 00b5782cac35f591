import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Actor } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Page } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { waitAtMost } from "../../../core/timeout.ts"
import type { AheadBehind } from "../../../git/index.ts"
import { type BranchView, viewBranches } from "../branches/present.ts"
import { findBranch } from "../branches/store.ts"
import { backgroundOf } from "../repositories/background.ts"
import { type CombinedStatus, findCombinedStatuses } from "../statuses/store.ts"
import { findComparisons, storeComparisons } from "./comparisons.ts"
import { type BranchPull, findPullsOfBranches, listNamed } from "./store.ts"

export interface BranchOnPage {
  readonly branch: BranchView
  readonly isDefault: boolean
  /** Against the default branch; undefined for the default branch, and while it is computed in the background. */
  readonly comparison: AheadBehind | undefined
  /** The newest that the caller may see. */
  readonly pull: BranchPull | undefined
  readonly status: CombinedStatus | undefined
}

export interface BranchesPage {
  readonly branches: readonly BranchOnPage[]
  readonly total: number
  /** False while comparisons are computed: asked again later, they will be there. */
  readonly isComplete: boolean
}

/** How long a request waits for comparisons, in milliseconds. */
const WAIT_MS = 5

/**
 * A page of the branches whose names contain a text: the default branch first, then those with the newest commits. A fixed number of queries, and no git process
 * for the caller: comparisons that are not stored are begun in the background.
 */
export async function branchesPage(
  services: Services,
  db: Handle,
  actor: Actor,
  on: OnRepository,
  { text = "", page }: { readonly text?: string; readonly page: Page },
  waitMs = WAIT_MS,
): Promise<BranchesPage> {
  const { repository } = on
  const { rows, total } = await listNamed(db, repository, text, page)
  const { views } = await viewBranches(services, db, on, rows)
  const pulls = await findPullsOfBranches(
    db,
    actor,
    repository.id,
    rows.map(({ name }) => name),
  )
  const tips = rows.map(({ commit_id }) => commit_id)
  const statuses = await findCombinedStatuses(db, repository.id, tips)
  const base = await findBranch.first(db, { repositoryId: repository.id, name: repository.default_branch })
  const others = rows.flatMap(({ name, commit_id }) => (name === repository.default_branch ? [] : [commit_id]))
  const comparisons = base ? await compared(services, db, on, base.commit_id, others, waitMs) : new Map<string, AheadBehind>()
  return {
    total,
    isComplete: base === undefined || others.every((id) => comparisons.has(id)),
    branches: views.map((branch) => {
      const isDefault = branch.name === repository.default_branch
      const id = branch.commit.id
      return {
        branch,
        isDefault,
        comparison: isDefault ? undefined : comparisons.get(id),
        pull: pulls.get(branch.name),
        status: statuses.get(id),
      }
    }),
  }
}

async function compared(
  services: Services,
  db: Handle,
  { repository }: OnRepository,
  baseId: string,
  headIds: readonly string[],
  waitMs: number,
): Promise<ReadonlyMap<string, AheadBehind>> {
  const stored = await findComparisons(db, repository.id, baseId, headIds)
  const unknown = headIds.filter((id) => !stored.has(id))
  if (unknown.length === 0) return stored
  let isDone = false
  const key = `compare ${baseId} ${unknown.join()}`
  const work = backgroundOf(services).begin(repository.storage, key, async () => {
    await storeComparisons(services, repository, baseId, unknown)
    isDone = true
  })
  await waitAtMost(waitMs, work)
  return isDone ? findComparisons(services.database.read, repository.id, baseId, headIds) : stored
}
