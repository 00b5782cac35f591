import type { AtColumn, Changing, Id, InTimeline, OfOwner, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "planning/projects": ProjectEvent
  }
}

/** What happens to projects. */
type ProjectEvent =
  | (Undated<"project.created" | "project.closed" | "project.reopened"> & OfOwner & { readonly project: Id<Row<"projects">> })
  /** Other columns than its state. */
  | (Undated<"project.edited"> & OfOwner & Changing & { readonly project: Id<Row<"projects">> })
  /** With its columns and cards. */
  | (Undated<"project.deleted"> & OfOwner & { readonly project: Id<Row<"projects">> })
  | (Undated<"column.created"> & OfOwner & AtColumn)
  | (Undated<"column.edited"> & OfOwner & AtColumn & Changing)
  /** Its cards were moved to the end of the default column. */
  | (Undated<"column.deleted"> & OfOwner & AtColumn)
  | (Undated<"column.madeDefault"> & OfOwner & AtColumn)
  /** These columns have other positions. */
  | (Undated<"column.moved"> & OfOwner & { readonly projectId: number; readonly columnIds: readonly number[] })
  /** An issue was moved within its column. */
  | (Undated<"card.moved"> & InTimeline & AtColumn)
