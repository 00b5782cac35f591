import { findPullByIssue } from "../../../access/store.ts"
import { refuse } from "../../../core/errors.ts"
import type { StateRule } from "../../planning/issues/state.ts"
import { alignPull } from "./refs.ts"
import { whyNotOpen } from "./twins.ts"

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
  const refusal = await whyNotOpen(tx, { ...pull, author_id: issue.author_id })
  if (refusal) throw refusal
  await jobs.enqueue(tx, alignPull, { pullId: pull.id })
}
