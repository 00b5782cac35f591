import type { Happened, InTimeline, Row } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "planning/tracking": TimeEvent
  }
}

/** What happens to tracked time. */
type TimeEvent =
  | (Happened<"time.started" | "time.cancelled"> & InTimeline)
  | (Happened<"time.stopped" | "time.added"> & InTimeline & { readonly time: Pick<Row<"tracked_times">, "id" | "seconds"> })
  | (Happened<"time.deleted"> & InTimeline & { readonly seconds: number })
