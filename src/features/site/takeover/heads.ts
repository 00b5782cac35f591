import type { Transaction } from "../../../core/database/database.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type Git, isBranchName, type ObjectId, type Repository } from "../../../git/index.ts"
import { headRef } from "../../review/pulls/refs.ts"
import { countChanges } from "./count-changes.ts"
import type { TakenRepository } from "./mapping/world.ts"
import { findPullsIn, type PullInGit, putPullFacts } from "./store.ts"

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
