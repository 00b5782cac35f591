import type { User } from "../../../core/actor.ts"
import type { Happened, Id, InRepository, OfOwner, OfRepository, OnIssue, Row, Undated } from "../../../core/events/event.ts"
import type { Spoken } from "../../planning/comments/events.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "site/undo": RestoreEvent
  }
}

/** What was deleted is there again, with the ids that it had. A branch is created again, which is an event of its own. */
type RestoreEvent =
  | (Happened<"issue.restored"> & OnIssue)
  | (Happened<"comment.restored"> & OnIssue & { readonly comment: Spoken })
  | (Undated<"label.restored"> & OfOwner & { readonly label: Row<"labels"> })
  | (Undated<"milestone.restored"> & OfRepository & { readonly milestone: Row<"milestones"> })
  | (Happened<"release.restored"> & InRepository & { readonly release: Row<"releases"> })
  | (Happened<"repository.restored"> & InRepository)
  /** It can't be restored any more, because someone said so. */
  | (Undated<"deletion.purged"> & OfOwner & { readonly deletion: Id<Row<"deletions">>; readonly actor: Id<User> })
