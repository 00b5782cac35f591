import { type RawBuilder, type SqlBool, sql } from "kysely"
import { visibleRepositories } from "../../../access/visibility.ts"
import { signedInAs, type User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { Listener } from "../../../core/events/events.ts"

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
}

/** Ends what binds a person to the issues of an owner's repositories. */
const endTiesToOwner = (tx: Transaction, person: Pick<User, "id">, owner: Pick<User, "id">): Promise<void> =>
  endTies(tx, [person.id], sql<SqlBool>`repositories.owner_id = ${owner.id}`)

/** Of these people, or of all where they are left out, those who can no longer reach one of these repositories are bound to its issues no more. */
async function endLostTies(tx: Transaction, repositoryIds: readonly number[], userIds?: readonly number[]): Promise<void> {
  if (repositoryIds.length === 0 || userIds?.length === 0) return
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
      ]),
    )
    .orderBy("id")
    .execute()
  for (const user of bound) await endTies(tx, [user.id], sql<SqlBool>`(${concerned} and not ${visibleRepositories(signedInAs(user))})`)
}

/** Where people may not reach a repository any more, or one has blocked the other, what binds them to its issues ends. */
export const issueCleanup: Listener = {
  name: "cleanup of issues",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "access.lost") await endLostTies(tx, event.repositoryIds, event.userIds)
      if (event.kind === "organization.membersRemoved") {
        const owned = await tx.selectFrom("repositories").select("id").where("owner_id", "=", event.organization.id).execute()
        await endLostTies(
          tx,
          owned.map(({ id }) => id),
          event.userIds,
        )
      }
      if (event.kind === "user.blocked") {
        await endTiesToOwner(tx, event.user, event.by)
        await endTiesToOwner(tx, event.by, event.user)
      }
    }
  },
}
