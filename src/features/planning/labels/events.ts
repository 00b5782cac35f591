import type { Changing, Id, OfOwner, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "planning/labels": LabelEvent
  }
}

/** What happens to labels. */
type LabelEvent =
  | (Undated<"label.created"> & OfOwner & { readonly label: Id<Row<"labels">> })
  | (Undated<"label.edited"> & OfOwner & Changing & { readonly label: Id<Row<"labels">> })
  /** It is removed from all issues. Delivered while it is still there. */
  | (Undated<"label.deleted"> & OfOwner & { readonly label: Row<"labels"> })
