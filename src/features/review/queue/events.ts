import type { User } from "../../../core/actor.ts"
import type { Happened, InTimeline, OfRepository, Row } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "review/queue": QueueEvent
  }
}

/** What happens to the merge queue of a branch. */
type QueueEvent =
  /** A pull request has lined up. */
  | (Happened<"queue.queued"> & InTimeline & { readonly branch: string })
  /** It has left the queue without being merged; `reason` are stored words, and "" where someone took it out. */
  | (Happened<"queue.removed"> & InTimeline & { readonly branch: string; readonly reason: string })
  | (Happened<"queue.prioritised"> & InTimeline & { readonly branch: string; readonly priority: number })
  /** A trial is there to be tested; it has failed, or was given up for something else than its checks; the branch has moved to it. */
  | (Happened<"queue.built" | "queue.failed" | "queue.dropped" | "queue.landed"> & OfTrial)
  /** Nothing lands any more; and again. */
  | (Happened<"queue.frozen" | "queue.unfrozen"> & OfRepository & { readonly branch: string; readonly reason: string })

interface OfTrial {
  readonly repositoryId: number
  /** Who lined up the first of its pull requests. */
  readonly actor: User
  readonly branch: string
  /** The reference of the trial. */
  readonly ref: string
  readonly trial: Row<"merge_trials">
}
