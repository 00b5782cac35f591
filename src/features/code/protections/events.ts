import type { Happened, Id, OfRepository, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "code/protections": ProtectionEvent
  }
}

/** What happens to protections. */
type ProtectionEvent =
  /** Protections of branches were created, changed, ordered or deleted. */
  | (Happened<"protection.changed"> & OfRepository & { readonly rule?: string })
  | (Undated<"tagProtection.created" | "tagProtection.edited" | "tagProtection.deleted"> &
      OfRepository & { readonly tagProtection: Id<Row<"tag_protections">> })
