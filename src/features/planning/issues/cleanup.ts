import type { Listener } from "../../../core/events/events.ts"
import { endHiddenInvolvement, endInaccessibleInvolvement, endInvolvementWithOwner } from "./involvement-store.ts"

/** Ends the involvement of users in issues when they lose access to the repository, when one blocks the other, and when an issue is transferred. */
export const issueCleanup: Listener = {
  name: "cleanup of issues",
  async hear({ tx, events }) {
    for (const event of events) {
      if (event.kind === "access.lost" || event.kind === "organization.membersRemoved")
        await endInaccessibleInvolvement(tx, event.repositoryIds, event.userIds)
      if (event.kind === "issue.transferred") await endHiddenInvolvement(tx, event.issue)
      if (event.kind === "user.blocked") {
        await endInvolvementWithOwner(tx, event.user, event.by)
        await endInvolvementWithOwner(tx, event.by, event.user)
      }
    }
  },
}
