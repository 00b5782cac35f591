import type { DomainEvent } from "../../../core/events/event.ts"
import type { Delivery, Listener } from "../../../core/events/events.ts"
import { hasFailed } from "../runs.ts"
import { type IssueEvent, notify, notifyOffer, notifyOfRelease, notifyOfRun } from "./rules.ts"
import { moveThreads } from "./store.ts"

/** Notifies users of events that concern them, by threads and by mail. */
export const notifications: Listener = {
  name: "notifications",
  onlyTells: true,
  async hear({ tx, services, events, entries }) {
    for (const event of events) {
      if (event.kind === "run.changed" && hasFailed(event)) await notifyOfRun(tx, event.run, event.actor, event.at)
      if (event.kind === "repository.transferOffered") await notifyOffer(tx, services, { ...event, now: event.at })
      if (event.kind === "issue.transferred") await moveThreads(tx, event)
      if (event.kind === "release.published") await notifyOfRelease(tx, services, event)
      const notification = notificationOf(event, entries)
      if (notification) await notify(tx, services, notification)
    }
  },
}

const idsOf = (people: readonly { readonly id: number }[]): readonly number[] => people.map(({ id }) => id)

function notificationOf(event: DomainEvent, entries: Delivery["entries"]): IssueEvent | undefined {
  if (!("issue" in event && "owner" in event)) return undefined
  const { issue, repository, owner, actor, at: now } = event
  const on = { issue, repository, owner, actor, now }
  switch (event.kind) {
    case "issue.opened":
      return { ...on, kind: "created", users: idsOf(event.mentioned) }
    case "issue.closed":
      return { ...on, kind: "closed" }
    case "issue.reopened":
      return { ...on, kind: "reopened" }
    case "issue.transferred":
      return { ...on, kind: "transferred" }
    case "issue.assigned":
      return { ...on, kind: "assigned", users: idsOf(event.added) }
    case "comment.created":
      return { ...on, kind: "commented", comment: event.comment, users: idsOf(event.mentioned) }
    case "pull.pushed":
      // Reviewers and assignees set when a pull request is opened are part of its creation.
      return event.before === null ? undefined : { ...on, kind: "pushed" }
    case "pull.ready":
      return { ...on, kind: "ready" }
    case "pull.merged":
      return { ...on, kind: "merged" }
    case "review.submitted":
      return { ...on, kind: "reviewed", comment: event.header, users: idsOf(event.mentioned) }
    case "review.dismissed": {
      const entry = entries.get(event)
      return { ...on, kind: "dismissed", users: [event.review.reviewer_id], ...(entry !== undefined && { comment: { id: entry } }) }
    }
    case "review.requested":
      return { ...on, kind: "review_requested", users: idsOf(event.told) }
    // Who was told of it once isn't told again.
    case "issue.restored":
    case "comment.restored":
      return undefined
  }
}
