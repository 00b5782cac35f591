import type { CommitsToKeep } from "../../code/lifecycle/maintenance.ts"
import { findNamedCommits, findReviewedCommits } from "./store.ts"

/** The commits that pull requests, reviews and comments on lines name: they are shown with them, for as long as those exist. */
export const commitsOfPulls: CommitsToKeep = async (db, repositoryId) => {
  const pulls = await findNamedCommits(db, { repositoryId })
  const reviews = await findReviewedCommits(db, { repositoryId })
  return [
    ...pulls.flatMap(({ head_id, base_id, merge_base, merge_commit_id }) => [head_id, base_id, merge_base, merge_commit_id]),
    ...reviews.flatMap(({ commit_id, line_commit_id }) => [commit_id, line_commit_id ?? ""]),
  ]
}
