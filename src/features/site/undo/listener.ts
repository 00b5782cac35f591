import type { EventKind } from "../../../core/events/event.ts"
import type { Listener } from "../../../core/events/events.ts"

const HEARD: ReadonlySet<EventKind> = new Set([
  "issue.deleted",
  "comment.deleted",
  "label.deleted",
  "milestone.deleted",
  "release.deleted",
  "repository.deleted",
  "reference.removed",
  "account.deleted",
  "organization.membersRemoved",
])

/**
 * Keeps what is about to be deleted, with the rows that go with it, in the transaction that deletes it: events of deletions are delivered while their subject is still there.
 * It hears first, so that it sees things as they were.
 */
export const undo: Listener = {
  name: "undo",
  async hear(delivery) {
    if (delivery.events.some(({ kind }) => HEARD.has(kind))) await (await import("./keep.ts")).keepOf(delivery)
  },
}
