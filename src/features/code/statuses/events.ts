import type { User } from "../../../core/actor.ts"
import type { Happened, Row } from "../../../core/events/event.ts"
import type { Commit } from "../../../git/index.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/statuses": StatusEvent
  }
}

/** What happens to statuses. */
type StatusEvent = Happened<"commit.checked"> & {
  readonly repositoryId: number
  readonly actor: User
  readonly commit: Commit
  /** The new statuses, in their order. */
  readonly statuses: readonly Row<"commit_statuses">[]
}
