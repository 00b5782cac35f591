import { type RawBuilder, type SqlBool, sql } from "kysely"
import { visibleRepositories } from "../../../access/visibility.ts"
import { inPerson, type User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import { endRequestsTo, endRequestsToStrangeTeams } from "../../review/reviews/ties.ts"

/** What binds people to issues, beside requests for reviews: assignments, subscriptions and running stopwatches. */
const TIES = ["issue_assignees", "issue_watches", "stopwatches"] as const

/** Ends what binds these people to the issues of the repositories that a condition on rows of `repositories` lets through. */
async function endTies(tx: Transaction, userIds: readonly number[], repositories: RawBuilder<SqlBool>): Promise<void> {
  const issues = tx
    .selectFrom("issues")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .select("issues.id")
    .where(repositories)
  for (const table of TIES)
    await tx.deleteFrom(table).where(inList(sql<number>`user_id`, userIds)).where("issue_id", "in", issues).execute()
  await endRequestsTo(tx, userIds, repositories)
}

/** Ends what binds a person to the issues of an owner's repositories. */
export const cutTiesToIssues = (tx: Transaction, person: Pick<User, "id">, owner: Pick<User, "id">): Promise<void> =>
  endTies(tx, [person.id], sql<SqlBool>`repositories.owner_id = ${owner.id}`)

/**
 * To be called after rights were taken away: whoever can no longer reach one of these repositories is no more bound to its issues. Of these
 * people, or of everybody; and of all teams.
 */
export async function cutLostTiesToIssues(tx: Transaction, repositoryIds: readonly number[], userIds?: readonly number[]): Promise<void> {
  if (repositoryIds.length === 0) return
  await endRequestsToStrangeTeams(tx, repositoryIds)
  if (userIds?.length === 0) return
  const concerned = inList<number>("repositories.id", repositoryIds)
  const bound = await tx
    .selectFrom("users")
    .selectAll()
    .$if(userIds !== undefined, (users) => users.where(inList("users.id", userIds ?? [])))
    .where((eb) =>
      eb.or([
        ...TIES.map((table) =>
          eb(
            "users.id",
            "in",
            eb
              .selectFrom(table)
              .innerJoin("issues", "issues.id", `${table}.issue_id`)
              .select(sql<number>`user_id`.as("id"))
              .where(inList("issues.repository_id", repositoryIds)),
          ),
        ),
        eb(
          "users.id",
          "in",
          eb
            .selectFrom("reviews")
            .innerJoin("issues", "issues.id", "reviews.issue_id")
            .select("reviewer_id as id")
            .where("reviews.state", "=", "REQUEST_REVIEW")
            .where(inList("issues.repository_id", repositoryIds)),
        ),
      ]),
    )
    .orderBy("id")
    .execute()
  for (const user of bound) await endTies(tx, [user.id], sql<SqlBool>`(${concerned} and not ${visibleRepositories(inPerson(user))})`)
}
