import { findPullByIssue } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import type { StateRule } from "../../planning/issues/state.ts"
import { alignPull } from "./refs.ts"
import { findOpenBetween } from "./store.ts"

/**
 * What closing and reopening means for a pull request beside what it means for every issue. One that is reopened is looked at again: its branches may have moved while nobody watched.
 * Refuses `preconditionFailed` what is merged, `conflict` to reopen one where another from the same branch to the same is open.
 */
export const pullStateRule: StateRule = async (tx, { jobs }, { issue, closed }) => {
  if (issue.is_pull === 0) return
  const pull = await findPullByIssue.first(tx, { issueId: issue.id })
  if (!pull) return
  if (pull.is_merged === 1) throw refuse.preconditionFailed("a merged pull request stays closed")
  if (closed) return
  const { repository_id, base_branch, head_repository_id, head_branch } = pull
  if (head_repository_id !== null) {
    const between = { repositoryId: repository_id, baseBranch: base_branch, headRepositoryId: head_repository_id, headBranch: head_branch }
    const other = await findOpenBetween.first(tx, between)
    if (other) throw refuse.conflict(`there is an open pull request for these branches already: #${other.number}`)
  }
  await jobs.enqueue(tx, alignPull, { pullId: pull.id })
}
