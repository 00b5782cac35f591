import type { Happened, InRepository } from "../../../core/events/event.ts"
import type { ObjectId, RefName } from "../../../git/index.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/pushes": ReferenceEvent
  }
}

/** What happens to references. */
type ReferenceEvent =
  /** A branch or tag was created, updated or deleted by a push; `summary` is for the feed. */
  | (Happened<"reference.created" | "reference.moved" | "reference.removed"> &
      InRepository & {
        readonly ref: RefName
        readonly oldId: ObjectId | null
        readonly newId: ObjectId | null
        readonly summary: string
      })
  | (Happened<"branch.renamed"> & InRepository & { readonly from: string; readonly to: string; readonly tip: ObjectId })
