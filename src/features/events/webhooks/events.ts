import type { Id, OfOwner, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "events/webhooks": WebhookEvent
  }
}

/** The definition of a webhook; its deliveries are no events. */
type WebhookEvent = Undated<"webhook.created" | "webhook.edited" | "webhook.deleted"> & OfOwner & { readonly webhook: Id<Row<"webhooks">> }
