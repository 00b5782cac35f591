import type { User } from "../../../core/actor.ts"
import type { Id, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/collaborators": CollaboratorEvent
  }
}

interface OnCollaborator {
  readonly repository: Id<Row<"repositories">>
  readonly user: Id<User>
  readonly actor: Id<User>
}

/** What happens to collaborators. */
type CollaboratorEvent =
  /** `mode`: one of `Mode` in access/modes.ts. */
  | (Undated<"collaborator.added"> & OnCollaborator & { readonly mode: number })
  | (Undated<"collaborator.changed"> & OnCollaborator & { readonly from: number; readonly to: number })
  | (Undated<"collaborator.removed"> & OnCollaborator)
