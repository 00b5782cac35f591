import type { Id, OfRepository, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/lfs": LockEvent
  }
}

/** What happens to locks. */
type LockEvent = Undated<"lfsLock.created" | "lfsLock.deleted"> & OfRepository & { readonly lfsLock: Id<Row<"lfs_locks">> }
