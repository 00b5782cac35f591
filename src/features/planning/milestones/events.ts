import type { Changing, Id, OfRepository, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "planning/milestones": MilestoneEvent
  }
}

/** What happens to milestones. */
type MilestoneEvent =
  | (Undated<"milestone.created" | "milestone.closed" | "milestone.reopened"> &
      OfRepository & { readonly milestone: Id<Row<"milestones">> })
  /** Other columns than its state. */
  | (Undated<"milestone.edited"> & OfRepository & Changing & { readonly milestone: Id<Row<"milestones">> })
  /** Its issues have no milestone from then on. Delivered while it is still there. */
  | (Undated<"milestone.deleted"> & OfRepository & { readonly milestone: Row<"milestones"> })
