import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"

/** What binds people and teams to reviews that are not there yet, where it has to end. */

const issuesOf = (tx: Transaction, repositories: RawBuilder<SqlBool>) =>
  tx.selectFrom("issues").innerJoin("repositories", "repositories.id", "issues.repository_id").select("issues.id").where(repositories)

/** Takes back requests to these people in the repositories that a condition on rows of `repositories` lets through. */
export async function endRequestsTo(tx: Transaction, userIds: readonly number[], repositories: RawBuilder<SqlBool>): Promise<void> {
  await tx
    .deleteFrom("reviews")
    .where("state", "=", "REQUEST_REVIEW")
    .where(inList("reviews.reviewer_id", userIds))
    .where("issue_id", "in", issuesOf(tx, repositories))
    .execute()
}

/** Takes back requests to teams that have nothing to do any more with these repositories: they belong to others, or are private to other teams. */
export async function endRequestsToStrangeTeams(tx: Transaction, repositoryIds: readonly number[]): Promise<void> {
  const strange = sql<SqlBool>`not exists (
    select 1 from issues
    join repositories on repositories.id = issues.repository_id
    join teams on teams.id = reviews.reviewer_team_id and teams.organization_id = repositories.owner_id
    where issues.id = reviews.issue_id and (repositories.is_private = 0 or exists (
      select 1 from team_repositories where team_repositories.team_id = teams.id and team_repositories.repository_id = repositories.id)))`
  await tx
    .deleteFrom("reviews")
    .where("state", "=", "REQUEST_REVIEW")
    .where("reviewer_team_id", "is not", null)
    .where("issue_id", "in", tx.selectFrom("issues").select("issues.id").where(inList("issues.repository_id", repositoryIds)))
    .where(strange)
    .execute()
}

/** Of somebody who goes, what was said stays; what was not said yet, or asked for, goes along. */
export async function forgetReviewer(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom("comments").where("author_id", "=", userId).where("kind", "in", ["review_draft", "code_draft"]).execute()
  await tx.deleteFrom("reviews").where("reviewer_id", "=", userId).where("state", "in", ["PENDING", "REQUEST_REVIEW"]).execute()
}
