import type { Listener } from "../../../core/events/events.ts"
import { tryMergesOf, tryScheduledMerge, tryScheduledMerges } from "./schedule.ts"

/** Retries scheduled merges when something has changed that they may wait for. */
export const merging: Listener = {
  name: "merging",
  async hear({ tx, services, events }) {
    // Several reviews can be dismissed at once: the merge of each pull request is retried once.
    const issueIds = new Set<number>()
    for (const event of events) {
      switch (event.kind) {
        case "review.submitted":
        case "review.dismissed":
        case "pull.ready":
          issueIds.add(event.issue.id)
          break
        case "commit.checked":
          await tryScheduledMerges(tx, services, { repositoryId: event.repositoryId, commitId: event.commit.id })
          break
        case "protection.changed":
          await tryMergesOf(tx, services, event.repositoryId)
          break
      }
    }
    for (const issueId of issueIds) await tryScheduledMerge(tx, services, issueId)
  },
}
