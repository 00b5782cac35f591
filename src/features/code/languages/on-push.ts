import { branchOf } from "../../../git/index.ts"
import { chooseDefault } from "../pushes/branches.ts"
import type { MovedPush, PushStep } from "../pushes/step.ts"
import { budgetOf } from "./languages.ts"
import { findComposition, putComposition } from "./store.ts"
import { compose, knownOf, surveyJob } from "./survey.ts"

/** The most objects that are read while a push waits; larger changes are left to a job. */
const PUSH_BUDGET = 1000

/** Updates a repository's languages and licences when its default branch moves. */
export const describeLanguages: PushStep = async (moved) => {
  const { services, row, repository } = moved
  const { git, database, jobs } = services
  const repositoryId = row.id
  const branch = defaultBranchOf(moved)
  const stored = branch === undefined ? undefined : await findComposition.first(database.read, { repositoryId })
  const known = stored && knownOf(stored)
  // The branch's current commit: a later push may have been recorded already.
  const tree = branch === undefined ? undefined : (await git.history.lastCommit(repository, branch))?.tree
  const budget = budgetOf(PUSH_BUDGET)
  const composition = tree && known && tree !== known.tree ? await compose(git, repository, known, tree, budget) : undefined
  return async (tx, written) => {
    const isDefault = written.repository.default_branch === (branch ?? row.default_branch)
    const isStored =
      composition === undefined || (isDefault && !budget.spent() && known && (await putComposition(tx, repositoryId, known, composition)))
    if (!isStored || !isDefault) await jobs.enqueue(tx, surveyJob, { repositoryId })
  }
}

/** The default branch, if this push moves it. */
function defaultBranchOf({ row, changes }: MovedPush): string | undefined {
  const arrived = changes.flatMap(({ ref, newId }) => (newId === null ? [] : (branchOf(ref) ?? [])))
  const wasEmpty = row.is_empty === 1
  const choice = { stored: row.default_branch, wasEmpty, created: arrived }
  const name = wasEmpty ? chooseDefault(choice, (each) => arrived.includes(each)) : row.default_branch
  return arrived.find((each) => each === name)
}
