import type { Changing, Id, OfOwner, Row, Undated } from "../../../core/events/event.ts"

declare module "../../../core/events/event.ts" {
  interface DomainEvents {
    readonly "actions/settings": SettingEvent
  }
}

/** What happens to secrets and variables. */
type SettingEvent =
  | (Undated<"secret.created" | "secret.edited" | "secret.deleted"> & OfOwner & { readonly secret: Id<Row<"action_secrets">> })
  | (Undated<"variable.created" | "variable.deleted"> & OfOwner & { readonly variable: Id<Row<"action_variables">> })
  | (Undated<"variable.edited"> & OfOwner & Changing & { readonly variable: Id<Row<"action_variables">> })
