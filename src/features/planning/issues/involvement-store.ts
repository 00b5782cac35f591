import { type RawBuilder, type SqlBool, sql } from "kysely"
import type { Issue } from "../../../access/policies/issues.ts"
import { readableByUsers, visibleRepositories } from "../../../access/visibility.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"

/** The tables that involve users in issues, except requests for reviews: assignments, subscriptions and running stopwatches. */
const INVOLVEMENTS = ["issue_assignees", "issue_watches", "stopwatches"] as const

/** Ends the involvement of these users in the issues of the repositories that match a condition on rows of `repositories`. */
async function endInvolvement(tx: Transaction, userIds: readonly number[], repositories: RawBuilder<SqlBool>): Promise<void> {
  const issues = tx
    .selectFrom("issues")
    .innerJoin("repositories", "repositories.id", "issues.repository_id")
    .select("issues.id")
    .where(repositories)
  for (const table of INVOLVEMENTS)
    await tx.deleteFrom(table).where(inList(sql<number>`user_id`, userIds)).where("issue_id", "in", issues).execute()
}

/** Ends a user's involvement in the issues of an owner's repositories. */
export const endInvolvementWithOwner = (tx: Transaction, person: Pick<User, "id">, owner: Pick<User, "id">): Promise<void> =>
  endInvolvement(tx, [person.id], sql<SqlBool>`repositories.owner_id = ${owner.id}`)

/** Ends the involvement of those of the users (all users where left out) who can no longer read one of these repositories, in its issues. */
export async function endInaccessibleInvolvement(
  tx: Transaction,
  repositoryIds: readonly number[],
  userIds?: readonly number[],
): Promise<void> {
  if (repositoryIds.length === 0 || userIds?.length === 0) return
  const inRepositories = inList<number>("repositories.id", repositoryIds)
  const involved = await tx
    .selectFrom("users")
    .selectAll()
    .$if(userIds !== undefined, (users) => users.where(inList("users.id", userIds ?? [])))
    .where((eb) =>
      eb.or([
        ...INVOLVEMENTS.map((table) =>
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
      ]),
    )
    .orderBy("id")
    .execute()
  for (const user of involved)
    await endInvolvement(tx, [user.id], sql<SqlBool>`(${inRepositories} and not ${visibleRepositories(signedInAs(user))})`)
}

/** Whether a person may read the issues of a repository. `person` is an expression for their id. */
export const mayReadIssues = (person: RawBuilder<unknown>, repositoryId: number): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from users join repositories on repositories.id = ${repositoryId}
    join users as owner on owner.id = repositories.owner_id where users.id = ${person} and ${readableByUsers("repo.issues")})`

/** Ends the involvement in a transferred issue of those who may not read it in its new place. */
export async function endHiddenInvolvement(tx: Transaction, issue: Pick<Issue, "id" | "repository_id">): Promise<void> {
  for (const table of INVOLVEMENTS) {
    const isHidden = sql<SqlBool>`not ${mayReadIssues(sql.ref(`${table}.user_id`), issue.repository_id)}`
    await tx.deleteFrom(table).where("issue_id", "=", issue.id).where(isHidden).execute()
  }
}
