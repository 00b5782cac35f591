import { type RawBuilder, type SqlBool, sql } from "kysely"
import { relatedTeams } from "../../../access/visibility.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { type Params, query } from "../../../core/database/query.ts"

export const findReviewed = query("reviews.findReviewed", (db, p: Params<{ issueId: number }>) =>
  db.selectFrom("reviews").select("id").where("issue_id", "=", p.issueId).where("commit_id", "!=", "").limit(1),
)

export const markStale = query("reviews.markStale", (db, p: Params<{ issueId: number; patchId: string }>) =>
  db
    .updateTable("reviews")
    .set((eb) => ({
      is_stale: eb.case().when("patch_id", "=", p.patchId).then(eb.lit<0 | 1>(0)).else(eb.lit<0 | 1>(1)).end(),
    }))
    .where("issue_id", "=", p.issueId)
    .where("commit_id", "!=", ""),
)

export const findStaleApprovals = query("reviews.findStaleApprovals", (db, p: Params<{ issueId: number }>) =>
  db
    .selectFrom("reviews")
    .select(["id", "reviewer_id"])
    .where("issue_id", "=", p.issueId)
    .where("state", "=", "APPROVED")
    .where("is_stale", "=", 1)
    .where("is_dismissed", "=", 0)
    .orderBy("id"),
)

export const issuesOf = (tx: Transaction, repositories: RawBuilder<SqlBool>) =>
  tx.selectFrom("issues").innerJoin("repositories", "repositories.id", "issues.repository_id").select("issues.id").where(repositories)

/** Removes requests to these users in the repositories that a condition on rows of `repositories` selects. */
export async function endRequestsTo(tx: Transaction, userIds: readonly number[], repositories: RawBuilder<SqlBool>): Promise<void> {
  await tx
    .deleteFrom("reviews")
    .where("state", "=", "REQUEST_REVIEW")
    .where(inList("reviews.reviewer_id", userIds))
    .where("issue_id", "in", issuesOf(tx, repositories))
    .execute()
}

/** Removes requests to teams without a relation to these repositories any more. */
export async function endRequestsToUnrelatedTeams(tx: Transaction, repositoryIds: readonly number[]): Promise<void> {
  const unrelated = sql<SqlBool>`not exists (
    select 1 from issues
    join repositories on repositories.id = issues.repository_id
    join teams on teams.id = reviews.reviewer_team_id
    where issues.id = reviews.issue_id and ${relatedTeams()})`
  await tx
    .deleteFrom("reviews")
    .where("state", "=", "REQUEST_REVIEW")
    .where("reviewer_team_id", "is not", null)
    .where("issue_id", "in", tx.selectFrom("issues").select("issues.id").where(inList("issues.repository_id", repositoryIds)))
    .where(unrelated)
    .execute()
}

/** Removes the drafts of a deleted user and the requests to them; submitted reviews stay. */
export async function removeReviewer(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom("comments").where("author_id", "=", userId).where("kind", "in", ["review_draft", "code_draft"]).execute()
  await tx.deleteFrom("reviews").where("reviewer_id", "=", userId).where("state", "in", ["PENDING", "REQUEST_REVIEW"]).execute()
}

/** The users, or those of these, whose reviews are requested in these repositories. */
export const findAsked = (tx: Transaction, repositoryIds: readonly number[], userIds?: readonly number[]) =>
  tx
    .selectFrom("users")
    .selectAll()
    .$if(userIds !== undefined, (users) => users.where(inList("users.id", userIds ?? [])))
    .where("users.id", "in", (eb) =>
      eb
        .selectFrom("reviews")
        .innerJoin("issues", "issues.id", "reviews.issue_id")
        .select("reviewer_id as id")
        .where("reviews.state", "=", "REQUEST_REVIEW")
        .where(inList("issues.repository_id", repositoryIds)),
    )
    .orderBy("id")
    .execute()
