import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Git, isBranchName, isGitError, isObjectId, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import { headRef } from "../../review/pulls/refs.ts"
import type { TakenRepository } from "./mapping/world.ts"
import { findPullsIn, type PullInGit, putPullFacts } from "./store.ts"

/** What git says of the pull requests of a repository, as rows to write. */
export interface DescribedPulls {
  readonly write: (tx: Transaction) => Promise<void>
  /** The numbers of those whose commits are gone. */
  readonly missing: readonly number[]
}

/** Pull requests whose changes are counted: what a repository has beyond that is looked at when someone does. */
const MOST_COUNTED = 2_000

interface Facts {
  readonly id: number
  readonly head_id: string
  readonly base_id: string
  readonly merge_base: string
  readonly mergeability?: "error"
  readonly additions: number
  readonly deletions: number
  readonly changed_files: number
  readonly commits_ahead: number
}

/**
 * Finds the heads of pull requests, and what the closed ones have changed. Those that are open are assessed when someone looks at them, as after every push to
 * their base.
 */
export async function describePulls(services: Services, of: TakenRepository, repository: Repository): Promise<DescribedPulls> {
  const { database, git } = services
  const all = await findPullsIn(database.read, { repositoryId: of.id, limit: 100_000 })
  const missing: number[] = []
  const described: Facts[] = []
  for (const pull of all.slice(-MOST_COUNTED)) {
    const facts = await describe(git, repository, pull)
    if (facts.head_id === "") missing.push(pull.number)
    described.push(facts)
  }
  return {
    missing,
    write: async (tx) => {
      for (const facts of described) await putPullFacts(tx, facts)
    },
  }
}

async function describe(git: Git, repository: Repository, pull: PullInGit): Promise<Facts> {
  const head = await headOf(git, repository, pull)
  const none = { id: pull.id, base_id: "", merge_base: pull.merge_base, additions: 0, deletions: 0, changed_files: 0, commits_ahead: 0 }
  if (head === undefined) return { ...none, head_id: "", mergeability: "error" }
  const base = isObjectId(pull.merge_base, repository.format) ? objectId(pull.merge_base) : undefined
  if (base === undefined || (pull.is_closed === 0 && pull.is_merged === 0)) return { ...none, head_id: head }
  try {
    const totals = await git.diffs.totals(repository, base, head)
    const { total } = base === head ? { total: 0 } : await git.history.between(repository, { to: head, from: base, limit: 0 })
    return {
      ...none,
      head_id: head,
      base_id: base,
      additions: totals.additions,
      deletions: totals.deletions,
      changed_files: totals.files,
      commits_ahead: total,
    }
  } catch (error) {
    if (!isGitError(error)) throw error
    return { ...none, head_id: head, base_id: base, mergeability: "error" }
  }
}

/** The last commit of a head: git keeps it under the pull request's number, also when its branch is gone. */
async function headOf(git: Git, repository: Repository, pull: PullInGit): Promise<ObjectId | undefined> {
  const kept = await git.references.resolve(repository, headRef(pull.number))
  if (kept !== undefined || pull.head_repository_id !== pull.repository_id || !isBranchName(pull.head_branch)) return kept
  return git.references.resolve(repository, branchRef(pull.head_branch))
}
