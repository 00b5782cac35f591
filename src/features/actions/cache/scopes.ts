import type { Handle } from "../../../core/database/database.ts"
import { refuse } from "../../../core/errors.ts"
import { branchRef } from "../../../git/index.ts"
import type { RunningTask } from "../tokens/store.ts"
import { findBaseBranch } from "./store.ts"

/**
 * Who sees which caches. A cache belongs to the reference that its run was for. A run sees those of its own reference, of the branch that its pull request
 * is to be merged into, and of the default branch: so nothing that a pull request stores is ever restored on a branch.
 */

/** The references whose caches a run sees, in the order in which they are searched. */
export async function readableScopes(db: Handle, { run, repository }: RunningTask): Promise<readonly string[]> {
  const pull = run.pull_id === 0 ? undefined : await findBaseBranch.first(db, { id: run.pull_id })
  const scopes = [run.ref, ...(pull ? [branchRef(pull.base_branch)] : []), branchRef(repository.default_branch)]
  return [...new Set(scopes)]
}

/** The reference that a run's caches belong to. Refuses `forbidden` code of a fork that runs for anything but its pull request. */
export function writableScope({ run }: RunningTask): string {
  if (run.is_untrusted === 1 && !run.ref.startsWith("refs/pull/"))
    throw refuse.forbidden("code of a fork stores caches for its pull request only")
  return run.ref
}
