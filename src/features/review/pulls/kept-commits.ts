import { type Params, query } from "../../../core/database/query.ts"
import type { CommitsToKeep } from "../../code/lifecycle/maintenance.ts"

const findOfPulls = query("pulls.findNamedCommits", (db, p: Params<{ repositoryId: number }>) =>
  db.selectFrom("pulls").select(["head_id", "base_id", "merge_base", "merge_commit_id"]).where("repository_id", "=", p.repositoryId),
)

const findOfReviews = query("reviews.findNamedCommits", (db, p: Params<{ repositoryId: number }>) =>
  db
    .selectFrom("reviews")
    .innerJoin("pulls", "pulls.issue_id", "reviews.issue_id")
    .leftJoin("review_comments", "review_comments.review_id", "reviews.id")
    .select(["reviews.commit_id", "review_comments.commit_id as line_commit_id"])
    .where("pulls.repository_id", "=", p.repositoryId),
)

/** The commits that pull requests, reviews and comments on lines name: they are shown with them, for as long as those exist. */
export const commitsOfPulls: CommitsToKeep = async (db, repositoryId) => {
  const pulls = await findOfPulls(db, { repositoryId })
  const reviews = await findOfReviews(db, { repositoryId })
  return [
    ...pulls.flatMap(({ head_id, base_id, merge_base, merge_commit_id }) => [head_id, base_id, merge_base, merge_commit_id]),
    ...reviews.flatMap(({ commit_id, line_commit_id }) => [commit_id, line_commit_id ?? ""]),
  ]
}
