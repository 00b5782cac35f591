import type { User } from "../../../core/actor.ts"
import type { Happened, InRepository, Row } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/releases": ReleaseEvent
  }
}

/** What happens to releases. */
type ReleaseEvent =
  | (Happened<"release.published"> & InRepository & { readonly release: Row<"releases"> })
  /** Also published for drafts; `release.deleted` is delivered while the release is still there. */
  | (Happened<"release.edited" | "release.deleted"> & { readonly release: Row<"releases">; readonly actor: User })
