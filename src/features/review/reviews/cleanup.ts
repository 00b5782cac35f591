import { type SqlBool, sql } from "kysely"
import { visibleRepositories } from "../../../access/visibility.ts"
import { signedInAs } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { inList } from "../../../core/database/expressions.ts"
import type { Listener } from "../../../core/events/events.ts"
import { endRequestsTo, endRequestsToUnrelatedTeams, findAsked, removeReviewer } from "./cleanup-store.ts"

/** Removes open review requests and drafts of reviewers who lose access. */

/** Removes the requests to those of these users, or of all users, who can no longer read one of these repositories. */
async function endLostRequests(tx: Transaction, repositoryIds: readonly number[], userIds?: readonly number[]): Promise<void> {
  if (repositoryIds.length === 0) return
  await endRequestsToUnrelatedTeams(tx, repositoryIds)
  if (userIds?.length === 0) return
  const concerned = inList<number>("repositories.id", repositoryIds)
  for (const user of await findAsked(tx, repositoryIds, userIds))
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
