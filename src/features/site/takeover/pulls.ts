import type { Transaction } from "../../../core/database/database.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Git, isBranchName, isGitError, isObjectId, type ObjectId, objectId, type Repository } from "../../../git/index.ts"
import { headRef } from "../../review/pulls/refs.ts"
import type { TakenRepository } from "./mapping/world.ts"
import { findPullsIn, findRepositoryOf, findUncountedPulls, type PullInGit, putPullFacts, type UncountedPull } from "./store.ts"

/** What git says of pull requests that were taken over: their heads at once, and later what the closed ones have changed. */

/** The heads of the pull requests of a repository, as rows to write. */
export interface FoundHeads {
  readonly write: (tx: Transaction) => Promise<void>
  /** The numbers of those whose commits are gone. */
  readonly missing: readonly number[]
}

/** Pull requests that are looked at together. */
const PAGE = 1_000

/** Finds the heads of pull requests. Reads references alone: starts no process. */
export async function findHeads({ database, git, jobs }: Services, of: TakenRepository, repository: Repository): Promise<FoundHeads> {
  const missing: number[] = []
  const found: { readonly id: number; readonly head_id: string }[] = []
  let isAnyClosed = false
  for (let after = 0; ; ) {
    const page = await findPullsIn(database.read, { repositoryId: of.id, after, limit: PAGE })
    for (const pull of page) {
      const head = await headOf(git, repository, pull)
      if (head === undefined) missing.push(pull.number)
      else if (head !== pull.head_id) found.push({ id: pull.id, head_id: head })
      isAnyClosed ||= pull.is_closed === 1
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.id
  }
  return {
    missing,
    write: async (tx) => {
      for (const facts of found) await putPullFacts(tx, facts)
      if (isAnyClosed) await jobs.enqueue(tx, countChanges, { repositoryId: of.id })
    },
  }
}

/** The last commit of a head: git keeps it under the pull request's number, also when its branch is gone. */
async function headOf(git: Git, repository: Repository, pull: PullInGit): Promise<ObjectId | undefined> {
  const kept = await git.references.resolve(repository, headRef(pull.number))
  if (kept !== undefined || pull.head_repository_id !== pull.repository_id || !isBranchName(pull.head_branch)) return kept
  return git.references.resolve(repository, branchRef(pull.head_branch))
}

/**
 * Counts what closed pull requests have changed: those that are open are assessed when someone looks at them, as after every push to their base. It takes some
 * processes for each, which nobody has to wait for.
 */
export const countChanges = defineJob({
  kind: "takeover.countChanges",
  payload: Type.Object({ repositoryId: int64() }),
  timeoutSeconds: 3600,
  run: async ({ repositoryId }, { context: { database, git }, signal }) => {
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
  },
})

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
