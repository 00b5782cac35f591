import { randomUUID } from "node:crypto"
import type { DomainEvent, EventOf } from "../../../core/events/catalogue.ts"
import type { Listener } from "../../../core/events/events.ts"
import { removeActionFolderJob } from "../files/files.ts"
import { startForPullJob } from "./on-pull.ts"
import { readSchedulesJob } from "./schedules.ts"

/**
 * Starts workflows for events of pull requests, and updates schedules when the repository changes. Both read files from git, so they are
 * done by jobs after the commit.
 */
export const workflows: Listener = {
  name: "workflows",
  async hear({ tx, services: { jobs }, events }) {
    for (const event of events) {
      if (event.kind === "repository.deleted") await jobs.enqueue(tx, removeActionFolderJob, { storage: event.repository.storage })
      if (changesSchedules(event)) await jobs.enqueue(tx, readSchedulesJob, { repositoryId: event.repository.id })
      if (!("issue" in event && "is_pull" in event.issue) || event.issue.is_pull === 0) continue
      const headId = event.kind === "pull.pushed" ? event.after : ""
      for (const action of actionsOf(event))
        await jobs.enqueue(tx, startForPullJob, { cause: randomUUID(), issueId: event.issue.id, actorId: event.actor.id, action, headId })
    }
  },
}

/** Whether the default branch has changed, or actions may have been switched on again. */
const changesSchedules = (event: DomainEvent): event is EventOf<"repository.edited" | "branch.renamed"> =>
  (event.kind === "repository.edited" && event.changed.some((column) => column === "default_branch" || column === "has_actions")) ||
  (event.kind === "branch.renamed" && event.repository.default_branch === event.to)

/** The names of the event in workflows; empty where it starts none. */
function actionsOf(event: DomainEvent): readonly string[] {
  switch (event.kind) {
    case "issue.opened":
      return ["opened"]
    case "issue.edited":
      return ["edited"]
    case "issue.closed":
    case "pull.merged":
      return ["closed"]
    case "issue.reopened":
      return ["reopened"]
    case "issue.labelled":
      return [event.cleared ? "unlabeled" : "labeled"]
    case "issue.milestoned":
      return [event.to === null ? "demilestoned" : "milestoned"]
    case "issue.assigned":
      return [...event.removed.map(() => "unassigned"), ...event.added.map(() => "assigned")]
    case "pull.pushed":
      return event.before === null ? [] : ["synchronize"]
    case "review.requested":
      return event.requests.map(() => "review_requested")
    case "review.requestRemoved":
      return event.requests.map(() => "review_request_removed")
    default:
      return []
  }
}
