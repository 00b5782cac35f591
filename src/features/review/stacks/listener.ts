import { findPullByIssue } from "../../../access/store.ts"
import type { Listener } from "../../../core/events/events.ts"
import { followMerge } from "./jobs.ts"
import { addVersion, findChangesAbove } from "./store.ts"

/** Keeps the versions of pull requests, and has the changes follow that stand on a merged one. */
export const stacks: Listener = {
  name: "stacks",
  async hear({ tx, services, events }) {
    for (const event of events) {
      if (event.kind !== "pull.pushed" && event.kind !== "pull.merged") continue
      if (event.kind === "pull.pushed") {
        await addVersion(tx, { issueId: event.issue.id, pusherId: event.actor.id, now: event.at })
        continue
      }
      const pull = await findPullByIssue.first(tx, { issueId: event.issue.id })
      const above = pull?.is_offered === 1 ? await findChangesAbove(tx, { pullIds: [pull.id], limit: 1 }) : []
      if (pull && above.length > 0) await services.jobs.enqueue(tx, followMerge, { pullId: pull.id })
    }
  },
}
