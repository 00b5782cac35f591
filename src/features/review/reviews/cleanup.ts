import { type RawBuilder, type SqlBool, sql } from "kysely"
import { relatedTeams, visibleRepositories } from "../../../access/visibility.ts"
import { signedInAs } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { Listener } from "../../../core/events/events.ts"

/** Removes open review requests and drafts of reviewers who lose access. */

const issuesOf = (tx: Transaction, repositories: RawBuilder<SqlBool>) =>
  tx.selectFrom("issues").innerJoin("repositories", "repositories.id", "issues.repository_id").select("issues.id").where(repositories)

/** Removes requests to these users in the repositories that a condition on rows of `repositories` selects. */
async function endRequestsTo(tx: Transaction, userIds: readonly number[], repositories: RawBuilder<SqlBool>): Promise<void> {
  await tx
    .deleteFrom("reviews")
    .where("state", "=", "REQUEST_REVIEW")
    .where(inList("reviews.reviewer_id", userIds))
    .where("issue_id", "in", issuesOf(tx, repositories))
    .execute()
}

/** Removes requests to teams without a relation to these repositories any more. */
async function endRequestsToUnrelatedTeams(tx: Transaction, repositoryIds: readonly number[]): Promise<void> {
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
async function removeReviewer(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom("comments").where("author_id", "=", userId).where("kind", "in", ["review_draft", "code_draft"]).execute()
  await tx.deleteFrom("reviews").where("reviewer_id", "=", userId).where("state", "in", ["PENDING", "REQUEST_REVIEW"]).execute()
}

/** Removes the requests to those of these users, or of all users, who can no longer read one of these repositories. */
async function endLostRequests(tx: Transaction, repositoryIds: readonly number[], userIds?: readonly number[]): Promise<void> {
  if (repositoryIds.length === 0) return
  await endRequestsToUnrelatedTeams(tx, repositoryIds)
  if (userIds?.length === 0) return
  const concerned = inList<number>("repositories.id", repositoryIds)
  const asked = await tx
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
  for (const user of asked)
    await endRequestsTo(tx, [user.id], sql<SqlBool>`(${concerned} and not ${visibleRepositories(signedInAs(user))})`)
}

/** Removes review requests to users who lose access to a repository, block each other, or are deleted. */
export const reviewCleanup: Listener = {
  name: "cleanup of reviews",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "account.deleted") await removeReviewer(tx, event.user.id)
      if (event.kind === "access.lost" || event.kind === "organization.membersRemoved")
        await endLostRequests(tx, event.repositoryIds, event.userIds)
      if (event.kind !== "user.blocked") continue
      for (const [person, owner] of [
        [event.user, event.by],
        [event.by, event.user],
      ] as const)
        await endRequestsTo(tx, [person.id], sql<SqlBool>`repositories.owner_id = ${owner.id}`)
    }
  },
}
