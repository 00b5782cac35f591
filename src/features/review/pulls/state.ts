import { findPullByIssue } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { StateRule } from "../../planning/issues/state.ts"
import { alignPull } from "./refs.ts"
import { findOpenBetween } from "./store.ts"

/**
 * The effects of closing and reopening that only pull requests have. A reopened one is assessed again: its branches may have moved in the meantime.
 * Refuses `preconditionFailed` for a merged one, `conflict` to reopen one where another with the same ends is open.
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
    if (other) throw refuse.conflict(t`there is an open pull request for these branches already: #${other.number}`)
  }
  await jobs.enqueue(tx, alignPull, { pullId: pull.id })
}
