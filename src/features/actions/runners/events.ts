import type { Id, OfOwner, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "actions/runners": RunnerEvent
  }
}

/** `runner.declared`: it has started with another version, other labels or capabilities. */
type RunnerEvent = Undated<"runner.registered" | "runner.declared" | "runner.enabled" | "runner.disabled" | "runner.deleted"> &
  OfOwner & { readonly runner: Id<Row<"runners">> }
