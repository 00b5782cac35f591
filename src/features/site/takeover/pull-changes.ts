import type { Services } from "../../../core/services.ts"
import { type Git, isGitError, isObjectId, objectId, type Repository } from "../../../git/index.ts"
import { findRepositoryOf, findUncountedPulls, putPullFacts, type UncountedPull } from "./store.ts"

/** Pull requests that are looked at together. */
const PAGE = 1_000

/** Counts what the closed pull requests of a repository have changed. */
export async function countChangesIn({ database, git }: Services, repositoryId: number, signal: AbortSignal): Promise<void> {
  const [of] = await findRepositoryOf(database.read, { id: repositoryId })
  if (!of) return
  const repository = git.at(of.storage, of.object_format)
  for (let after = 0; !signal.aborted; ) {
    const page = await findUncountedPulls(database.read, { repositoryId, after, limit: PAGE })
    for (const pull of page) {
      if (signal.aborted) throw new Error("interrupted; the rest is counted later")
      const facts = await changesOf(git, repository, pull)
      if (facts) await database.write((tx) => putPullFacts(tx, { id: pull.id, ...facts }))
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = last.id
  }
}

async function changesOf(git: Git, repository: Repository, pull: UncountedPull) {
  const isKnown = [pull.merge_base, pull.head_id].every((id) => isObjectId(id, repository.format))
  if (!isKnown || pull.merge_base === pull.head_id) return undefined
  const [base, head] = [objectId(pull.merge_base), objectId(pull.head_id)]
  try {
    const totals = await git.diffs.totals(repository, base, head)
    const { total } = await git.history.between(repository, { to: head, from: base, limit: 0 })
    return {
      base_id: base,
      additions: totals.additions,
      deletions: totals.deletions,
      changed_files: totals.files,
      commits_ahead: total,
    }
  } catch (error) {
    // Damaged, or more than git may take for it.
    if (!isGitError(error)) throw error
    return undefined
  }
}
