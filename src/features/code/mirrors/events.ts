import type { Id, OfRepository, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/mirrors": MirrorEvent
  }
}

/** What happens to mirrors. */
type MirrorEvent =
  /** A mirror was synchronised with its remote, or that failed. */
  | (Undated<"mirror.synchronized"> & { readonly repositoryId: number })
  | (Undated<"pushMirror.added" | "pushMirror.removed"> & OfRepository & { readonly pushMirror: Id<Row<"push_mirrors">> })
  /** It was pushed to, or that failed. */
  | (Undated<"pushMirror.synchronized"> & { readonly repositoryId: number; readonly pushMirror: Id<Row<"push_mirrors">> })
